CREATE TABLE `data_exports` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`day` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`lease_ends_at` integer,
	`completed_at` integer,
	`parts` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "data_exports_completed" CHECK(("data_exports"."completed_at" is null) = ("data_exports"."lease_ends_at" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `data_exports_day` ON `data_exports` (`user_id`,`day`);--> statement-breakpoint
CREATE INDEX `data_exports_due` ON `data_exports` (`lease_ends_at`) WHERE "data_exports"."lease_ends_at" is not null;--> statement-breakpoint
CREATE INDEX `data_exports_expiry` ON `data_exports` (`expires_at`);--> statement-breakpoint
CREATE TABLE `data_export_parts` (
	`export_id` text NOT NULL,
	`part` integer NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`export_id`, `part`),
	FOREIGN KEY (`export_id`) REFERENCES `data_exports`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
