CREATE TABLE `wallets` (
	`address` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`chain_id` integer NOT NULL,
	`proved_by` text NOT NULL,
	`linked_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "wallets_proved_by" CHECK("wallets"."proved_by" in ('key', 'contract'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `wallets_user` ON `wallets` (`user_id`,`linked_at`,`address`);--> statement-breakpoint
CREATE TABLE `wallet_challenges` (
	`nonce` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`address` text NOT NULL,
	`chain_id` integer NOT NULL,
	`message` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `wallet_challenges_user` ON `wallet_challenges` (`user_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `wallet_challenges_expires_at` ON `wallet_challenges` (`expires_at`);--> statement-breakpoint
ALTER TABLE `rewards` ADD `required_holding` text;--> statement-breakpoint
ALTER TABLE `products` ADD `required_holding` text;