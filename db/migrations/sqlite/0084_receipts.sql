CREATE TABLE `receipt_series` (
	`id` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL,
	`started_at` integer NOT NULL,
	CONSTRAINT "receipt_series_id" CHECK("receipt_series"."id" in ('money', 'points')),
	CONSTRAINT "receipt_series_last_positive" CHECK("receipt_series"."last" > 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `receipts` (
	`series` text NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`purchase_kind` text NOT NULL,
	`purchase_id` text NOT NULL,
	`ref` text NOT NULL,
	`currency` text NOT NULL,
	`country` text,
	`net` integer NOT NULL,
	`tax` integer NOT NULL,
	`gross` integer NOT NULL,
	`lines` text NOT NULL,
	`seller` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`series`, `number`),
	CONSTRAINT "receipts_kind" CHECK("receipts"."kind" in ('receipt', 'credit_note')),
	CONSTRAINT "receipts_series" CHECK(("receipts"."series" = 'points') = ("receipts"."currency" = 'POINTS')),
	CONSTRAINT "receipts_sums" CHECK("receipts"."number" > 0 and "receipts"."net" >= 0 and "receipts"."tax" >= 0 and "receipts"."net" + "receipts"."tax" = "receipts"."gross"),
	CONSTRAINT "receipts_points_without_tax" CHECK("receipts"."series" <> 'points' or "receipts"."tax" = 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `receipts_ref_unique` ON `receipts` (`kind`,`ref`);--> statement-breakpoint
CREATE INDEX `receipts_purchase` ON `receipts` (`purchase_id`);--> statement-breakpoint
CREATE INDEX `receipts_created` ON `receipts` (`created_at`);--> statement-breakpoint
ALTER TABLE `packs` ADD `tax_rate` text;--> statement-breakpoint
ALTER TABLE `pack_purchases` ADD `tax_country` text;--> statement-breakpoint
ALTER TABLE `pack_purchases` ADD `tax_millionths` integer;--> statement-breakpoint
ALTER TABLE `products` ADD `lowest_price_amount` integer;--> statement-breakpoint
ALTER TABLE `products` ADD `tax_rate` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `tax_country` text;--> statement-breakpoint
ALTER TABLE `order_lines` ADD `tax_millionths` integer;