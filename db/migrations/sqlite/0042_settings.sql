CREATE TABLE `settings` (
	`id` text PRIMARY KEY NOT NULL,
	`stated` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
