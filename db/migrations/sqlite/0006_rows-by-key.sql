-- Rows where their keys are: a look-up goes down one tree, and a write changes one, instead of two. SQLite else keeps a table by
-- a number of its own, and its primary key as an index beside it (https://sqlite.org/withoutrowid.html). Not for long rows.
CREATE TABLE `__new_onboardings` (
	`user_id` text PRIMARY KEY NOT NULL,
	`completed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `__new_onboardings` SELECT `user_id`, `completed_at` FROM `onboardings`;--> statement-breakpoint
DROP TABLE `onboardings`;--> statement-breakpoint
ALTER TABLE `__new_onboardings` RENAME TO `onboardings`;--> statement-breakpoint
CREATE TABLE `__new_points_accounts` (
	`user_id` text PRIMARY KEY NOT NULL,
	`balance` integer NOT NULL,
	`lifetime` integer NOT NULL,
	`seq` integer NOT NULL,
	`head_hash` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "points_accounts_balance_not_negative" CHECK("__new_points_accounts"."balance" >= 0),
	CONSTRAINT "points_accounts_balance_exact" CHECK("__new_points_accounts"."balance" <= 9007199254740991),
	CONSTRAINT "points_accounts_lifetime_exact" CHECK("__new_points_accounts"."lifetime" between 0 and 9007199254740991)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `__new_points_accounts` SELECT `user_id`, `balance`, `lifetime`, `seq`, `head_hash`, `updated_at` FROM `points_accounts`;--> statement-breakpoint
DROP TABLE `points_accounts`;--> statement-breakpoint
ALTER TABLE `__new_points_accounts` RENAME TO `points_accounts`;--> statement-breakpoint
CREATE TABLE `__new_leaderboard_entries` (
	`user_id` text PRIMARY KEY NOT NULL,
	`enrolled_at` integer NOT NULL,
	`hash` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `__new_leaderboard_entries` SELECT `user_id`, `enrolled_at`, `hash` FROM `leaderboard_entries`;--> statement-breakpoint
DROP TABLE `leaderboard_entries`;--> statement-breakpoint
ALTER TABLE `__new_leaderboard_entries` RENAME TO `leaderboard_entries`;--> statement-breakpoint
CREATE TABLE `__new_leaderboard_scores` (
	`board` text NOT NULL,
	`user_id` text NOT NULL,
	`minus_points` integer NOT NULL,
	`reached_at` integer NOT NULL,
	PRIMARY KEY(`board`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "leaderboard_scores_points_exact" CHECK("__new_leaderboard_scores"."minus_points" between -9007199254740991 and 0)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `__new_leaderboard_scores` SELECT `board`, `user_id`, `minus_points`, `reached_at` FROM `leaderboard_scores`;--> statement-breakpoint
DROP TABLE `leaderboard_scores`;--> statement-breakpoint
ALTER TABLE `__new_leaderboard_scores` RENAME TO `leaderboard_scores`;--> statement-breakpoint
CREATE INDEX `leaderboard_scores_rank` ON `leaderboard_scores` (`board`,`minus_points`,`reached_at`,`user_id`);--> statement-breakpoint
CREATE TABLE `__new_leaderboard_counts` (
	`board` text NOT NULL,
	`level` integer NOT NULL,
	`points` integer NOT NULL,
	`reached_at` integer NOT NULL,
	`fans` integer NOT NULL,
	PRIMARY KEY(`board`, `level`, `points`, `reached_at`),
	CONSTRAINT "leaderboard_counts_not_negative" CHECK("__new_leaderboard_counts"."fans" >= 0)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `__new_leaderboard_counts` SELECT `board`, `level`, `points`, `reached_at`, `fans` FROM `leaderboard_counts`;--> statement-breakpoint
DROP TABLE `leaderboard_counts`;--> statement-breakpoint
ALTER TABLE `__new_leaderboard_counts` RENAME TO `leaderboard_counts`;--> statement-breakpoint
CREATE TABLE `__new_user_rewards` (
	`user_id` text NOT NULL,
	`reward_id` text NOT NULL,
	`claimed_at` integer NOT NULL,
	`redeemed_at` integer,
	`redemption_code` text,
	PRIMARY KEY(`user_id`, `reward_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "user_rewards_code_with_redemption" CHECK(("__new_user_rewards"."redeemed_at" is null) = ("__new_user_rewards"."redemption_code" is null))
) STRICT, WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `__new_user_rewards` SELECT `user_id`, `reward_id`, `claimed_at`, `redeemed_at`, `redemption_code` FROM `user_rewards`;--> statement-breakpoint
DROP TABLE `user_rewards`;--> statement-breakpoint
ALTER TABLE `__new_user_rewards` RENAME TO `user_rewards`;--> statement-breakpoint
CREATE UNIQUE INDEX `user_rewards_redemption_code_unique` ON `user_rewards` (`redemption_code`);
