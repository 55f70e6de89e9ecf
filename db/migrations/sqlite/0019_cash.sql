CREATE TABLE `cash_accounts` (
	`user_id` text NOT NULL,
	`currency` text NOT NULL,
	`balance` integer NOT NULL,
	`held` integer NOT NULL,
	`seq` integer NOT NULL,
	`head_hash` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `currency`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "cash_accounts_available_not_negative" CHECK("cash_accounts"."held" >= 0 and "cash_accounts"."balance" >= "cash_accounts"."held"),
	CONSTRAINT "cash_accounts_balance_exact" CHECK("cash_accounts"."balance" <= 9007199254740991)
) STRICT;
--> statement-breakpoint
CREATE TABLE `cash_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`currency` text NOT NULL,
	`seq` integer NOT NULL,
	`delta` integer NOT NULL,
	`balance_after` integer NOT NULL,
	`reason` text NOT NULL,
	`ref` text NOT NULL,
	`created_at` integer NOT NULL,
	`hash` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "cash_entries_delta_not_zero" CHECK("cash_entries"."delta" <> 0),
	CONSTRAINT "cash_entries_balance_not_negative" CHECK("cash_entries"."balance_after" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `cash_entries_user_currency_seq_unique` ON `cash_entries` (`user_id`,`currency`,`seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `cash_entries_user_reason_ref_unique` ON `cash_entries` (`user_id`,`reason`,`ref`);--> statement-breakpoint
CREATE TABLE `cash_holds` (
	`purchase_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`currency` text NOT NULL,
	`amount` integer NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`settled_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "cash_holds_amount_positive" CHECK("cash_holds"."amount" > 0),
	CONSTRAINT "cash_holds_state" CHECK("cash_holds"."state" in ('held', 'captured', 'released', 'refunded')),
	CONSTRAINT "cash_holds_settled" CHECK(("cash_holds"."state" = 'held') = ("cash_holds"."settled_at" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `cash_holds_account` ON `cash_holds` (`user_id`,`currency`,`state`);--> statement-breakpoint
CREATE INDEX `cash_holds_expiry` ON `cash_holds` (`state`,`expires_at`);--> statement-breakpoint
CREATE TABLE `cash_promotions` (
	`ref` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`user_id` text NOT NULL,
	`currency` text NOT NULL,
	`amount` integer NOT NULL,
	`remaining` integer NOT NULL,
	`expires_at` integer,
	`ended_at` integer,
	`note` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "cash_promotions_remaining" CHECK("cash_promotions"."amount" > 0 and "cash_promotions"."remaining" >= 0 and "cash_promotions"."remaining" <= "cash_promotions"."amount"),
	CONSTRAINT "cash_promotions_ended" CHECK("cash_promotions"."ended_at" is null or "cash_promotions"."remaining" = 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `cash_promotions_account` ON `cash_promotions` (`user_id`,`currency`);--> statement-breakpoint
CREATE INDEX `cash_promotions_expiry` ON `cash_promotions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `cash_hold_promotions` (
	`purchase_id` text NOT NULL,
	`ref` text NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`purchase_id`, `ref`),
	FOREIGN KEY (`purchase_id`) REFERENCES `cash_holds`(`purchase_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`ref`) REFERENCES `cash_promotions`(`ref`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "cash_hold_promotions_amount_positive" CHECK("cash_hold_promotions"."amount" > 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `cash_hold_promotions_ref` ON `cash_hold_promotions` (`ref`);--> statement-breakpoint
CREATE TABLE `top_ups` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`status` text NOT NULL,
	`price_amount` integer NOT NULL,
	`price_currency` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`completed_at` integer,
	`refunded_at` integer,
	`payment_reference` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "top_ups_amount_positive" CHECK("top_ups"."price_amount" > 0),
	CONSTRAINT "top_ups_status" CHECK("top_ups"."status" in ('pending', 'completed', 'refund_due', 'refunded')),
	CONSTRAINT "top_ups_completed" CHECK("top_ups"."status" <> 'completed' or ("top_ups"."completed_at" is not null and "top_ups"."payment_reference" is not null)),
	CONSTRAINT "top_ups_refunded" CHECK(("top_ups"."status" = 'refunded') = ("top_ups"."refunded_at" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `top_ups_user` ON `top_ups` (`user_id`,`id`);