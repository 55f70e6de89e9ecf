CREATE TABLE `moderation_decisions` (
	`id` text PRIMARY KEY NOT NULL,
	`fan_id` text NOT NULL,
	`seq` integer NOT NULL,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`until` integer,
	`lifts_id` text,
	`decided_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`fan_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "moderation_decisions_kind" CHECK("moderation_decisions"."kind" in ('dismiss', 'hide', 'mute', 'suspend', 'lift', 'note')),
	CONSTRAINT "moderation_decisions_until" CHECK(("moderation_decisions"."until" is not null) = ("moderation_decisions"."kind" = 'suspend')),
	CONSTRAINT "moderation_decisions_lift" CHECK(("moderation_decisions"."lifts_id" is not null) = ("moderation_decisions"."kind" = 'lift'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `moderation_decisions_fan_seq` ON `moderation_decisions` (`fan_id`,`seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `moderation_decisions_lifts` ON `moderation_decisions` (`lifts_id`) WHERE "moderation_decisions"."lifts_id" is not null;--> statement-breakpoint
CREATE TABLE `moderation_notes` (
	`decision_id` text PRIMARY KEY NOT NULL,
	`fan_id` text NOT NULL,
	`note` text NOT NULL,
	FOREIGN KEY (`decision_id`) REFERENCES `moderation_decisions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`fan_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `moderation_notes_fan` ON `moderation_notes` (`fan_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `hidden_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `suspended_until` integer;