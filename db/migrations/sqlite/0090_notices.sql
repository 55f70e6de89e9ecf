CREATE TABLE `content_notices` (
	`id` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	`place` integer NOT NULL,
	`repeats` integer NOT NULL,
	`category` text NOT NULL,
	`subject_kind` text,
	`fan_id` text,
	`reference` text,
	`location` text,
	`explanation` text,
	`evidence` text,
	`name` text,
	`email` text,
	`language` text NOT NULL,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`action_taken` integer,
	`answer` text,
	`decided_by` text,
	`decided_by_id` text,
	`decision_id` text,
	`cleared_at` integer,
	FOREIGN KEY (`fan_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`decision_id`) REFERENCES `moderation_decisions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "content_notices_place" CHECK("content_notices"."place" between 1 and 20),
	CONSTRAINT "content_notices_decided" CHECK(("content_notices"."decided_at" is null) = ("content_notices"."action_taken" is null)),
	CONSTRAINT "content_notices_cleared" CHECK("content_notices"."cleared_at" is null or "content_notices"."decided_at" is not null),
	CONSTRAINT "content_notices_sanction" CHECK("content_notices"."decision_id" is null or "content_notices"."action_taken")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `content_notices_open_unique` ON `content_notices` (`content`,`place`) WHERE "content_notices"."decided_at" is null;--> statement-breakpoint
CREATE INDEX `content_notices_open` ON `content_notices` (`created_at`,`id`) WHERE "content_notices"."decided_at" is null;--> statement-breakpoint
CREATE INDEX `content_notices_decided` ON `content_notices` (`decided_at`,`id`);--> statement-breakpoint
CREATE INDEX `content_notices_to_clear` ON `content_notices` (`decided_at`) WHERE "content_notices"."cleared_at" is null and "content_notices"."decided_at" is not null;--> statement-breakpoint
CREATE INDEX `content_notices_fan` ON `content_notices` (`fan_id`);--> statement-breakpoint
CREATE INDEX `content_notices_decision` ON `content_notices` (`decision_id`);