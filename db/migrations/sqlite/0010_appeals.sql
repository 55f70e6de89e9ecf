CREATE TABLE `appeals` (
	`sanction_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`fan_id` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`granted` integer,
	`decided_by` text,
	FOREIGN KEY (`sanction_id`) REFERENCES `moderation_decisions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`fan_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "appeals_decided" CHECK(("appeals"."decided_at" is null) = ("appeals"."granted" is null) and ("appeals"."decided_at" is null) = ("appeals"."decided_by" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `appeals_id_unique` ON `appeals` (`id`);--> statement-breakpoint
CREATE INDEX `appeals_fan` ON `appeals` (`fan_id`);--> statement-breakpoint
CREATE INDEX `appeals_open` ON `appeals` (`created_at`,`id`) WHERE "appeals"."decided_at" is null;--> statement-breakpoint
ALTER TABLE `users` ADD `silenced_at` integer;