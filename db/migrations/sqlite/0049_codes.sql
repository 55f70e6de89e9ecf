CREATE TABLE `campaigns` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`translations` text,
	`kind` text NOT NULL,
	`code` text,
	`code_hash` text,
	`gives` text NOT NULL,
	`requires` text,
	`per_fan` integer NOT NULL,
	`total` integer,
	`redeemed` integer NOT NULL,
	`starts_at` integer,
	`ends_at` integer,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "campaigns_kind_known" CHECK("campaigns"."kind" in ('shared', 'unique')),
	CONSTRAINT "campaigns_code_if_shared" CHECK(("campaigns"."kind" = 'shared') = ("campaigns"."code_hash" is not null)),
	CONSTRAINT "campaigns_per_fan_positive" CHECK("campaigns"."per_fan" >= 1),
	CONSTRAINT "campaigns_redeemed_not_negative" CHECK("campaigns"."redeemed" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `campaigns_code_unique` ON `campaigns` (`code_hash`) WHERE "campaigns"."code_hash" is not null;--> statement-breakpoint
CREATE TABLE `campaign_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`campaign_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`redeemed_at` integer,
	`voided_at` integer,
	FOREIGN KEY (`campaign_id`) REFERENCES `campaigns`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "campaign_codes_used_or_voided" CHECK("campaign_codes"."redeemed_at" is null or "campaign_codes"."voided_at" is null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `campaign_codes_campaign` ON `campaign_codes` (`campaign_id`,`hash`);--> statement-breakpoint
CREATE TABLE `code_redemptions` (
	`id` text PRIMARY KEY NOT NULL,
	`campaign_id` text NOT NULL,
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`is_unique` integer NOT NULL,
	`gave` text NOT NULL,
	`redeemed_at` integer NOT NULL,
	FOREIGN KEY (`campaign_id`) REFERENCES `campaigns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `code_redemptions_code_unique` ON `code_redemptions` (`code_hash`) WHERE "code_redemptions"."is_unique";--> statement-breakpoint
CREATE INDEX `code_redemptions_fan` ON `code_redemptions` (`user_id`,`campaign_id`);--> statement-breakpoint
CREATE INDEX `code_redemptions_campaign` ON `code_redemptions` (`campaign_id`,`redeemed_at`);