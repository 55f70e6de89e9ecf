DROP INDEX `pack_purchases_payment_unique`;--> statement-breakpoint
CREATE UNIQUE INDEX `pack_purchases_payment_unique` ON `pack_purchases` (`payment_reference`) WHERE "pack_purchases"."payment_reference" is not null;--> statement-breakpoint
DROP INDEX `user_items_given_unique`;--> statement-breakpoint
CREATE UNIQUE INDEX `user_items_given_unique` ON `user_items` (`user_id`,`given_for`) WHERE "user_items"."given_for" is not null;--> statement-breakpoint
DROP INDEX `user_rewards_redemption_code_unique`;--> statement-breakpoint
CREATE UNIQUE INDEX `user_rewards_redemption_code_unique` ON `user_rewards` (`redemption_code`) WHERE "user_rewards"."redemption_code" is not null;--> statement-breakpoint
DROP INDEX `users_handle_unique`;--> statement-breakpoint
CREATE UNIQUE INDEX `users_handle_unique` ON `users` (`handle`) WHERE "users"."handle" is not null;