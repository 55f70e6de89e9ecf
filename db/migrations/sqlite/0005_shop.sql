CREATE TABLE `products` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`images` text NOT NULL,
	`category` text NOT NULL,
	`kind` text NOT NULL,
	`translations` text,
	`price_amount` integer NOT NULL,
	`price_currency` text NOT NULL,
	`max_per_fan` integer,
	`ships_to` text,
	`required_points` integer,
	`required_collectible_id` text,
	`active` integer NOT NULL,
	`starts_at` integer,
	`ends_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`required_collectible_id`) REFERENCES `collectibles`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "products_price_not_negative" CHECK("products"."price_amount" >= 0),
	CONSTRAINT "products_max_positive" CHECK("products"."max_per_fan" >= 1),
	CONSTRAINT "products_kind" CHECK("products"."kind" in ('physical', 'digital', 'voucher', 'pack'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `products_category` ON `products` (`active`,`category`,`id`);--> statement-breakpoint
CREATE INDEX `products_active` ON `products` (`active`,`id`);--> statement-breakpoint
CREATE TABLE `product_variants` (
	`product_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`translations` text,
	`sku` text,
	`position` integer NOT NULL,
	`stock_total` integer,
	`stock_sold` integer NOT NULL,
	`listed` integer NOT NULL,
	PRIMARY KEY(`product_id`, `id`),
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "product_variants_stock" CHECK("product_variants"."stock_sold" >= 0 and ("product_variants"."stock_total" is null or "product_variants"."stock_sold" <= "product_variants"."stock_total"))
) STRICT;
