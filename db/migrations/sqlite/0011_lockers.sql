CREATE TABLE `lockers` (
	`user_id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`theme` text NOT NULL,
	`shelves` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `locker_items` (
	`user_id` text NOT NULL,
	`shelf` integer NOT NULL,
	`position` integer NOT NULL,
	`collectible_id` text NOT NULL,
	`serial_number` integer NOT NULL,
	PRIMARY KEY(`user_id`, `shelf`, `position`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "locker_items_place" CHECK("locker_items"."shelf" >= 0 and "locker_items"."position" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `locker_items_item_unique` ON `locker_items` (`user_id`,`collectible_id`,`serial_number`);--> statement-breakpoint
ALTER TABLE `privacy_settings` ADD `locker` text;