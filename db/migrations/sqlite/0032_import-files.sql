CREATE TABLE `import_files` (
	`id` text PRIMARY KEY NOT NULL,
	`command` text NOT NULL,
	`name` text NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `import_files_expiry` ON `import_files` (`expires_at`);--> statement-breakpoint
CREATE TABLE `import_file_parts` (
	`file_id` text NOT NULL,
	`part` integer NOT NULL,
	`lines` integer NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`file_id`, `part`),
	FOREIGN KEY (`file_id`) REFERENCES `import_files`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
