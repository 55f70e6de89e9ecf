CREATE TABLE `season_counts` (
	`kind` text NOT NULL,
	`bucket` integer NOT NULL,
	`name` text NOT NULL,
	`stated` integer NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`kind`, `bucket`, `name`, `stated`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `season_fans` (
	`user_id` text PRIMARY KEY NOT NULL,
	`week` integer NOT NULL,
	`team_id` text,
	`country` text,
	`steps` integer NOT NULL,
	`weeks` integer NOT NULL,
	`results` text NOT NULL,
	`stated` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `season_subjects` (
	`number` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `season_subjects_unique` ON `season_subjects` (`kind`,`name`);--> statement-breakpoint
CREATE TABLE `season_sweep` (
	`id` text PRIMARY KEY NOT NULL,
	`counted_until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `predictions_created` ON `predictions` (`created_at`);