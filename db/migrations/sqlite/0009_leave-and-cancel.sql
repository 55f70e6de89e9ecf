CREATE TABLE `__new_pack_purchases` (
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
	CONSTRAINT "pack_purchases_status" CHECK("__new_pack_purchases"."status" in ('pending', 'completed', 'cancelled', 'refund_due', 'refunded')),
	CONSTRAINT "pack_purchases_completed" CHECK("__new_pack_purchases"."status" <> 'completed' or "__new_pack_purchases"."completed_at" is not null)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_pack_purchases`("id", "pack_id", "user_id", "status", "price_amount", "price_currency", "server_seed", "seed_hash", "terms", "created_at", "expires_at", "completed_at", "refunded_at", "payment_reference") SELECT "id", "pack_id", "user_id", "status", "price_amount", "price_currency", "server_seed", "seed_hash", "terms", "created_at", "expires_at", "completed_at", "refunded_at", "payment_reference" FROM `pack_purchases`;--> statement-breakpoint
DROP TABLE `pack_purchases`;--> statement-breakpoint
ALTER TABLE `__new_pack_purchases` RENAME TO `pack_purchases`;--> statement-breakpoint
CREATE INDEX `pack_purchases_holds` ON `pack_purchases` (`pack_id`,`status`,`expires_at`);--> statement-breakpoint
CREATE INDEX `pack_purchases_user` ON `pack_purchases` (`user_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `pack_purchases_payment_unique` ON `pack_purchases` (`payment_reference`);--> statement-breakpoint
ALTER TABLE `leaderboard_entries` ADD `left_at` integer;