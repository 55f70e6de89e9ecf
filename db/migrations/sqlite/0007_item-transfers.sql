CREATE TABLE `item_transfers` (
	`collectible_id` text NOT NULL,
	`serial_number` integer NOT NULL,
	`sequence` integer NOT NULL,
	`owner_id` text NOT NULL,
	`ref` text NOT NULL,
	`salt` text NOT NULL,
	`created_at` integer NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`collectible_id`, `serial_number`, `sequence`),
	FOREIGN KEY (`collectible_id`) REFERENCES `collectibles`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "item_transfers_sequence" CHECK("item_transfers"."sequence" >= 2)
) STRICT;
--> statement-breakpoint
CREATE INDEX `item_transfers_owner` ON `item_transfers` (`owner_id`);--> statement-breakpoint
ALTER TABLE `user_items` ADD `owner_id` text REFERENCES users(id);--> statement-breakpoint
ALTER TABLE `user_items` ADD `changed_hands_at` integer;--> statement-breakpoint
CREATE INDEX `user_items_owner` ON `user_items` (`owner_id`,`collectible_id`,`serial_number`) WHERE "user_items"."owner_id" is not null;