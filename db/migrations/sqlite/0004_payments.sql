CREATE TABLE `payments` (
	`reference` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`purchase_id` text NOT NULL,
	`amount` integer NOT NULL,
	`currency` text NOT NULL,
	`created_at` integer NOT NULL,
	`refunded_at` integer,
	CONSTRAINT "payments_amount_positive" CHECK("payments"."amount" > 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `payments_purchase_unique` ON `payments` (`purchase_id`);