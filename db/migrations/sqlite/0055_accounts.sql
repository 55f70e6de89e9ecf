CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`unit` text NOT NULL,
	`window` text,
	`public` integer NOT NULL,
	`tiers` text NOT NULL,
	`translations` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `account_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`account_id` text NOT NULL,
	`seq` integer NOT NULL,
	`delta` integer NOT NULL,
	`balance_after` integer NOT NULL,
	`reason` text NOT NULL,
	`ref` text NOT NULL,
	`counted_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`hash` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "account_entries_delta_not_zero" CHECK("account_entries"."delta" <> 0),
	CONSTRAINT "account_entries_balance_not_negative" CHECK("account_entries"."balance_after" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_entries_user_account_seq_unique` ON `account_entries` (`user_id`,`account_id`,`seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_entries_user_reason_ref_unique` ON `account_entries` (`user_id`,`reason`,`ref`);--> statement-breakpoint
CREATE INDEX `account_entries_window` ON `account_entries` (`user_id`,`account_id`,`counted_at`,`delta`);--> statement-breakpoint
CREATE TABLE `fan_accounts` (
	`user_id` text NOT NULL,
	`account_id` text NOT NULL,
	`balance` integer NOT NULL,
	`seq` integer NOT NULL,
	`head_hash` text NOT NULL,
	`minus_total` integer NOT NULL,
	`reached_at` integer NOT NULL,
	`window_from` integer,
	`tier_id` text,
	`tier_since` integer,
	`tier_until` integer,
	`basis` text NOT NULL,
	`risk_told_for` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `account_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "fan_accounts_balance" CHECK("fan_accounts"."balance" >= 0 and "fan_accounts"."balance" <= 9007199254740991)
) STRICT;
--> statement-breakpoint
CREATE INDEX `fan_accounts_order` ON `fan_accounts` (`account_id`,`minus_total`,`reached_at`,`user_id`);--> statement-breakpoint
CREATE INDEX `fan_accounts_basis` ON `fan_accounts` (`account_id`,`basis`,`user_id`);--> statement-breakpoint
CREATE INDEX `fan_accounts_changed` ON `fan_accounts` (`account_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `fan_accounts_until` ON `fan_accounts` (`tier_until`);--> statement-breakpoint
ALTER TABLE `points_grants` ADD `account_id` text;