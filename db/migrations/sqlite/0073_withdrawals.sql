CREATE TABLE `order_refunds` (
	`id` text PRIMARY KEY NOT NULL,
	`order_id` text NOT NULL,
	`number` integer NOT NULL,
	`amount` integer NOT NULL,
	`lines` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_refunds_amount_positive" CHECK("order_refunds"."amount" > 0 and "order_refunds"."number" > 0),
	CONSTRAINT "order_refunds_state" CHECK("order_refunds"."state" in ('due', 'refunded', 'void')),
	CONSTRAINT "order_refunds_settled" CHECK(("order_refunds"."state" = 'due') = ("order_refunds"."settled_at" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `order_refunds_number_unique` ON `order_refunds` (`order_id`,`number`);--> statement-breakpoint
CREATE INDEX `order_refunds_due` ON `order_refunds` (`created_at`) WHERE "order_refunds"."state" = 'due';--> statement-breakpoint
ALTER TABLE `orders` ADD `refunded_amount` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `orders` ADD `waiver` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `order_lines` ADD `delivered_at` integer;--> statement-breakpoint
ALTER TABLE `order_lines` ADD `downloaded_at` integer;--> statement-breakpoint
ALTER TABLE `order_lines` ADD `withdrawn_at` integer;--> statement-breakpoint
ALTER TABLE `order_lines` ADD `refunded_units` integer DEFAULT 0 NOT NULL;