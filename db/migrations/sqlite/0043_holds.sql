CREATE TABLE `points_holds` (
	`purchase_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`amount` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "points_holds_amount_positive" CHECK("points_holds"."amount" > 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `points_holds_user` ON `points_holds` (`user_id`);--> statement-breakpoint
ALTER TABLE `pack_purchases` ADD `cancelled_at` integer;--> statement-breakpoint
CREATE INDEX `pack_purchases_unpaid` ON `pack_purchases` (`expires_at`) WHERE "pack_purchases"."status" in ('pending', 'cancelled');--> statement-breakpoint
ALTER TABLE `orders` ADD `cancelled_at` integer;--> statement-breakpoint
CREATE INDEX `top_ups_unpaid` ON `top_ups` (`expires_at`) WHERE "top_ups"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `trades_unfinished` ON `trades` (`expires_at`) WHERE "trades"."status" <> 'completed';