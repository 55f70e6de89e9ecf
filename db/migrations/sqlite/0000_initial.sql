CREATE TABLE `identities` (
	`user_id` text PRIMARY KEY NOT NULL,
	`email` text,
	`email_verified` integer,
	`name` text,
	`picture` text,
	`updated_at` integer,
	`synced_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `leaderboard_entries` (
	`user_id` text PRIMARY KEY NOT NULL,
	`enrolled_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `onboardings` (
	`user_id` text PRIMARY KEY NOT NULL,
	`completed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
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
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`favorite_team_id`) REFERENCES `teams`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_provider_subject_unique` ON `users` (`provider`,`subject`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_handle_unique` ON `users` (`handle`);