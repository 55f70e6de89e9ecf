CREATE TABLE `divisions` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scoring` text NOT NULL,
	`size` integer NOT NULL,
	`every` text NOT NULL,
	`levels` text NOT NULL,
	`translations` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `division_periods` (
	`division_id` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`scoring` text NOT NULL,
	`size` integer NOT NULL,
	`levels` text NOT NULL,
	`closed_at` integer,
	PRIMARY KEY(`division_id`, `starts_at`),
	FOREIGN KEY (`division_id`) REFERENCES `divisions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "division_periods_order" CHECK("division_periods"."starts_at" < "division_periods"."ends_at")
) STRICT;
--> statement-breakpoint
CREATE INDEX `division_periods_open` ON `division_periods` (`ends_at`) WHERE "division_periods"."closed_at" is null;--> statement-breakpoint
CREATE TABLE `division_levels` (
	`division_id` text NOT NULL,
	`starts_at` integer NOT NULL,
	`level` integer NOT NULL,
	`placed` integer NOT NULL,
	`closed` integer NOT NULL,
	PRIMARY KEY(`division_id`, `starts_at`, `level`),
	FOREIGN KEY (`division_id`) REFERENCES `divisions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "division_levels_counts" CHECK("division_levels"."placed" >= 0 and "division_levels"."closed" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `division_members` (
	`user_id` text NOT NULL,
	`division_id` text NOT NULL,
	`starts_at` integer NOT NULL,
	`level` integer NOT NULL,
	`number` integer NOT NULL,
	`seat` integer NOT NULL,
	`after_seq` integer NOT NULL,
	`since` integer NOT NULL,
	`result` text,
	`untold` integer NOT NULL,
	PRIMARY KEY(`user_id`, `division_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`division_id`) REFERENCES `divisions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "division_members_seat" CHECK("division_members"."seat" between 1 and 100)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `division_members_seat_unique` ON `division_members` (`division_id`,`starts_at`,`level`,`number`,`seat`);--> statement-breakpoint
CREATE INDEX `division_members_untold` ON `division_members` (`user_id`,`division_id`) WHERE "division_members"."untold";