CREATE TABLE `sets` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`translations` text,
	`reward_points` integer NOT NULL,
	`reward_id` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sets_points_not_negative" CHECK("sets"."reward_points" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `set_items` (
	`set_id` text NOT NULL,
	`collectible_id` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`set_id`, `collectible_id`),
	FOREIGN KEY (`set_id`) REFERENCES `sets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`collectible_id`) REFERENCES `collectibles`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `set_items_collectible` ON `set_items` (`collectible_id`,`set_id`);--> statement-breakpoint
CREATE TABLE `set_completions` (
	`user_id` text NOT NULL,
	`set_id` text NOT NULL,
	`completed_at` integer NOT NULL,
	`points` integer NOT NULL,
	`reward_id` text,
	PRIMARY KEY(`user_id`, `set_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`set_id`) REFERENCES `sets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
