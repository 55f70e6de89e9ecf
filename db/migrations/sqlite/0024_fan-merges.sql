CREATE TABLE `fan_merges` (
	`from_id` text PRIMARY KEY NOT NULL,
	`into_id` text NOT NULL,
	`merged_by` text NOT NULL,
	`reason` text,
	`merged_at` integer NOT NULL,
	FOREIGN KEY (`from_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`into_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `fan_merges_into` ON `fan_merges` (`into_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `merged_into_id` text;--> statement-breakpoint
CREATE INDEX `users_merged` ON `users` (`merged_into_id`) WHERE "users"."merged_into_id" is not null;--> statement-breakpoint
ALTER TABLE `quest_progress` ADD `carried_from` text;