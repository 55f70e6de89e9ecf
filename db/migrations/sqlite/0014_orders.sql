CREATE TABLE `orders` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`status` text NOT NULL,
	`price_amount` integer NOT NULL,
	`price_currency` text NOT NULL,
	`discount_amount` integer NOT NULL,
	`voucher_code` text,
	`address` text,
	`address_kept_until` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`completed_at` integer,
	`refunded_at` integer,
	`expiry_noted_at` integer,
	`payment_reference` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "orders_price" CHECK("orders"."price_amount" >= 0 and "orders"."discount_amount" >= 0),
	CONSTRAINT "orders_status" CHECK("orders"."status" in ('pending', 'completed', 'cancelled', 'refund_due', 'refunded')),
	CONSTRAINT "orders_completed" CHECK("orders"."status" <> 'completed' or "orders"."completed_at" is not null),
	CONSTRAINT "orders_refunded" CHECK(("orders"."status" = 'refunded') = ("orders"."refunded_at" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `orders_user` ON `orders` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `orders_status` ON `orders` (`status`,`expires_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `orders_payment_unique` ON `orders` (`payment_reference`) WHERE "orders"."payment_reference" is not null;--> statement-breakpoint
CREATE INDEX `orders_voucher` ON `orders` (`voucher_code`) WHERE "orders"."voucher_code" is not null;--> statement-breakpoint
CREATE TABLE `order_lines` (
	`order_id` text NOT NULL,
	`number` integer NOT NULL,
	`product_id` text NOT NULL,
	`variant_id` text NOT NULL,
	`quantity` integer NOT NULL,
	`price_amount` integer NOT NULL,
	`kind` text NOT NULL,
	`delivers` text,
	`state` text NOT NULL,
	`hold_until` integer,
	`is_sold` integer NOT NULL,
	`carrier` text,
	`tracking` text,
	PRIMARY KEY(`order_id`, `number`),
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`,`variant_id`) REFERENCES `product_variants`(`product_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_lines_quantity" CHECK("order_lines"."quantity" >= 1 and "order_lines"."price_amount" >= 0),
	CONSTRAINT "order_lines_state" CHECK("order_lines"."state" in ('none', 'ready', 'shipped', 'delivered', 'returned')),
	CONSTRAINT "order_lines_hold" CHECK("order_lines"."hold_until" is null or not "order_lines"."is_sold"),
	CONSTRAINT "order_lines_shipped" CHECK("order_lines"."state" <> 'shipped' or "order_lines"."carrier" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `order_lines_variant_unique` ON `order_lines` (`order_id`,`product_id`,`variant_id`);--> statement-breakpoint
CREATE INDEX `order_lines_variant` ON `order_lines` (`product_id`,`variant_id`,`hold_until`);--> statement-breakpoint
CREATE INDEX `order_lines_hold` ON `order_lines` (`hold_until`) WHERE "order_lines"."hold_until" is not null;--> statement-breakpoint
CREATE TABLE `order_units` (
	`order_id` text NOT NULL,
	`line` integer NOT NULL,
	`unit` integer NOT NULL,
	`pack_purchase_id` text,
	`code` text,
	`used_at` integer,
	`used_by` text,
	`voided_at` integer,
	PRIMARY KEY(`order_id`, `line`, `unit`),
	FOREIGN KEY (`order_id`,`line`) REFERENCES `order_lines`(`order_id`,`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_units_pack_or_voucher" CHECK(("order_units"."pack_purchase_id" is null) = ("order_units"."code" is not null)),
	CONSTRAINT "order_units_used" CHECK(("order_units"."used_at" is null) = ("order_units"."used_by" is null)),
	CONSTRAINT "order_units_used_or_void" CHECK("order_units"."used_at" is null or "order_units"."voided_at" is null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `order_units_code_unique` ON `order_units` (`code`) WHERE "order_units"."code" is not null;--> statement-breakpoint
ALTER TABLE `products` ADD `delivers` text;