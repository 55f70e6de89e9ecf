CREATE TABLE `reports` (
	`id` text PRIMARY KEY NOT NULL,
	`reporter_id` text,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`fan_id` text NOT NULL,
	`reference` text,
	`reason` text NOT NULL,
	`note` text,
	`evidence` text,
	`created_at` integer NOT NULL,
	`resolved_at` integer,
	`action_taken` integer,
	`decision_id` text,
	FOREIGN KEY (`reporter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`fan_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`decision_id`) REFERENCES `moderation_decisions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reports_resolved" CHECK(("reports"."resolved_at" is null) = ("reports"."action_taken" is null)),
	CONSTRAINT "reports_decided" CHECK("reports"."decision_id" is null or "reports"."resolved_at" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `reports_open_unique` ON `reports` (`reporter_id`,`subject_kind`,`subject_id`) WHERE "reports"."resolved_at" is null and "reports"."reporter_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `reports_open_automatic_unique` ON `reports` (`subject_kind`,`subject_id`) WHERE "reports"."resolved_at" is null and "reports"."reporter_id" is null;--> statement-breakpoint
CREATE INDEX `reports_open` ON `reports` (`subject_kind`,`subject_id`,`created_at`) WHERE "reports"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX `reports_reporter` ON `reports` (`reporter_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `reports_fan` ON `reports` (`fan_id`);--> statement-breakpoint
CREATE INDEX `reports_decision` ON `reports` (`decision_id`);