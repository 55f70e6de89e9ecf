CREATE TABLE `archive_files` (
	`id` text PRIMARY KEY NOT NULL,
	`season_id` text NOT NULL,
	`until` integer NOT NULL,
	`sha256` text NOT NULL,
	`bytes` integer NOT NULL,
	`fans` integer NOT NULL,
	`written_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_seams` (
	`user_id` text PRIMARY KEY NOT NULL,
	`files` text NOT NULL,
	`until` integer NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL,
	`balance` integer NOT NULL,
	`lifetime` integer NOT NULL,
	`sequence` integer NOT NULL,
	`kept_entries` integer NOT NULL,
	`kept_events` integer NOT NULL,
	`state` text NOT NULL,
	`digest` text NOT NULL,
	`key` text,
	`sealed` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `archived_events` (
	`key` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
