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
CREATE TABLE `deferred_syncs` (
	`user_id` text PRIMARY KEY NOT NULL,
	`sealed_token` text NOT NULL,
	`token_expires_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `deferred_syncs_due` ON `deferred_syncs` (`next_attempt_at`);--> statement-breakpoint
CREATE TABLE `identities` (
	`user_id` text PRIMARY KEY NOT NULL,
	`email` text,
	`email_verified` integer,
	`name` text,
	`picture` text,
	`updated_at` integer,
	`stated_at` integer,
	`synced_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `leaderboard_entries` (
	`user_id` text PRIMARY KEY NOT NULL,
	`enrolled_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `native_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`subject` text NOT NULL,
	`device_name` text,
	`origin_issued_at` integer NOT NULL,
	`sealed_token` text,
	`token_expires_at` integer NOT NULL,
	`generation` integer NOT NULL,
	`rotated_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `native_sessions_owner` ON `native_sessions` (`provider`,`subject`,`id`);--> statement-breakpoint
CREATE INDEX `native_sessions_expiry` ON `native_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `onboardings` (
	`user_id` text PRIMARY KEY NOT NULL,
	`completed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
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
CREATE TABLE `points_accounts` (
	`user_id` text PRIMARY KEY NOT NULL,
	`balance` integer NOT NULL,
	`lifetime` integer NOT NULL,
	`seq` integer NOT NULL,
	`head_hash` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "points_accounts_balance_not_negative" CHECK("points_accounts"."balance" >= 0),
	CONSTRAINT "points_accounts_balance_exact" CHECK("points_accounts"."balance" <= 9007199254740991),
	CONSTRAINT "points_accounts_lifetime_exact" CHECK("points_accounts"."lifetime" between 0 and 9007199254740991)
) STRICT;
--> statement-breakpoint
CREATE TABLE `points_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`seq` integer NOT NULL,
	`delta` integer NOT NULL,
	`balance_after` integer NOT NULL,
	`reason` text NOT NULL,
	`ref` text NOT NULL,
	`created_at` integer NOT NULL,
	`hash` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "points_entries_delta_not_zero" CHECK("points_entries"."delta" <> 0),
	CONSTRAINT "points_entries_balance_not_negative" CHECK("points_entries"."balance_after" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `points_entries_user_seq_unique` ON `points_entries` (`user_id`,`seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `points_entries_user_reason_ref_unique` ON `points_entries` (`user_id`,`reason`,`ref`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`generation` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `native_sessions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `refresh_tokens_session` ON `refresh_tokens` (`session_id`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_expiry` ON `refresh_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `revoked_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `revoked_tokens_expiry` ON `revoked_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `rewards` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`image_url` text,
	`item_type` text NOT NULL,
	`points_required` integer NOT NULL,
	`active` integer NOT NULL,
	`starts_at` integer,
	`ends_at` integer,
	`stock_remaining` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "rewards_points_not_negative" CHECK("rewards"."points_required" >= 0),
	CONSTRAINT "rewards_stock_not_negative" CHECK("rewards"."stock_remaining" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `rewards_active_order` ON `rewards` (`active`,`points_required`,`id`);--> statement-breakpoint
CREATE TABLE `teams` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`short_name` text NOT NULL,
	`city` text,
	`country` text,
	`primary_color` text,
	`secondary_color` text,
	`crest_url` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
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
CREATE INDEX `user_packs_user` ON `user_packs` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `user_rewards` (
	`user_id` text NOT NULL,
	`reward_id` text NOT NULL,
	`claimed_at` integer NOT NULL,
	`redeemed_at` integer,
	`redemption_code` text,
	PRIMARY KEY(`user_id`, `reward_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "user_rewards_code_with_redemption" CHECK(("user_rewards"."redeemed_at" is null) = ("user_rewards"."redemption_code" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `user_rewards_redemption_code_unique` ON `user_rewards` (`redemption_code`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`subject` text NOT NULL,
	`display_name` text,
	`handle` text,
	`avatar_url` text,
	`bio` text,
	`country` text,
	`locale` text,
	`favorite_team_id` text,
	`sessions_ended_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`favorite_team_id`) REFERENCES `teams`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_provider_subject_unique` ON `users` (`provider`,`subject`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_handle_unique` ON `users` (`handle`);