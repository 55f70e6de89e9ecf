CREATE TABLE `collectibles` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`image_url` text,
	`rarity` text NOT NULL,
	`minted` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "collectibles_minted_not_negative" CHECK("collectibles"."minted" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `pack_items` (
	`pack_id` text NOT NULL,
	`collectible_id` text NOT NULL,
	`weight` integer NOT NULL,
	PRIMARY KEY(`pack_id`, `collectible_id`),
	FOREIGN KEY (`pack_id`) REFERENCES `packs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`collectible_id`) REFERENCES `collectibles`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "pack_items_weight_positive" CHECK("pack_items"."weight" >= 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `pack_purchases` (
	`id` text PRIMARY KEY NOT NULL,
	`pack_id` text NOT NULL,
	`user_id` text NOT NULL,
	`status` text NOT NULL,
	`price_amount` integer NOT NULL,
	`price_currency` text NOT NULL,
	`server_seed` text NOT NULL,
	`seed_hash` text NOT NULL,
	`terms` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`completed_at` integer,
	`refunded_at` integer,
	`payment_reference` text,
	FOREIGN KEY (`pack_id`) REFERENCES `packs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "pack_purchases_status" CHECK("pack_purchases"."status" in ('pending', 'completed', 'refund_due', 'refunded')),
	CONSTRAINT "pack_purchases_completed" CHECK("pack_purchases"."status" <> 'completed' or "pack_purchases"."completed_at" is not null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `pack_purchases_holds` ON `pack_purchases` (`pack_id`,`status`,`expires_at`);--> statement-breakpoint
CREATE INDEX `pack_purchases_user` ON `pack_purchases` (`user_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `pack_purchases_payment_unique` ON `pack_purchases` (`payment_reference`);--> statement-breakpoint
CREATE TABLE `packs` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`image_url` text,
	`price_amount` integer NOT NULL,
	`price_currency` text NOT NULL,
	`items_per_pack` integer NOT NULL,
	`active` integer NOT NULL,
	`starts_at` integer,
	`ends_at` integer,
	`supply_total` integer,
	`supply_sold` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "packs_price_not_negative" CHECK("packs"."price_amount" >= 0),
	CONSTRAINT "packs_items" CHECK("packs"."items_per_pack" between 1 and 100),
	CONSTRAINT "packs_supply" CHECK("packs"."supply_sold" >= 0 and ("packs"."supply_total" is null or "packs"."supply_sold" <= "packs"."supply_total"))
) STRICT;
--> statement-breakpoint
CREATE TABLE `user_items` (
	`user_pack_id` text NOT NULL,
	`position` integer NOT NULL,
	`user_id` text NOT NULL,
	`collectible_id` text NOT NULL,
	`serial_number` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_pack_id`, `position`),
	FOREIGN KEY (`user_pack_id`) REFERENCES `user_packs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`collectible_id`) REFERENCES `collectibles`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `user_items_collectible_serial_unique` ON `user_items` (`collectible_id`,`serial_number`);--> statement-breakpoint
CREATE INDEX `user_items_collection` ON `user_items` (`user_id`,`collectible_id`,`serial_number`);--> statement-breakpoint
CREATE TABLE `user_packs` (
	`id` text PRIMARY KEY NOT NULL,
	`purchase_id` text NOT NULL,
	`pack_id` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`opened_at` integer,
	`client_seed` text,
	`revoked_at` integer,
	FOREIGN KEY (`purchase_id`) REFERENCES `pack_purchases`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`pack_id`) REFERENCES `packs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "user_packs_opened_or_revoked" CHECK("user_packs"."opened_at" is null or "user_packs"."revoked_at" is null),
	CONSTRAINT "user_packs_client_seed" CHECK(("user_packs"."opened_at" is null) = ("user_packs"."client_seed" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `user_packs_purchase_unique` ON `user_packs` (`purchase_id`);--> statement-breakpoint
CREATE INDEX `user_packs_user` ON `user_packs` (`user_id`,`id`);