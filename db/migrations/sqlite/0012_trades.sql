CREATE TABLE `trades` (
	`id` text PRIMARY KEY NOT NULL,
	`from_id` text NOT NULL,
	`to_id` text NOT NULL,
	`status` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`from_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "trades_two_fans" CHECK("trades"."from_id" <> "trades"."to_id"),
	CONSTRAINT "trades_status" CHECK("trades"."status" in ('open', 'completed', 'declined', 'cancelled', 'void')),
	CONSTRAINT "trades_ended" CHECK(("trades"."status" = 'open') = ("trades"."ended_at" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `trades_from` ON `trades` (`from_id`,`id`);--> statement-breakpoint
CREATE INDEX `trades_to` ON `trades` (`to_id`,`id`);--> statement-breakpoint
CREATE INDEX `trades_open` ON `trades` (`from_id`,`expires_at`) WHERE "trades"."status" = 'open';--> statement-breakpoint
CREATE TABLE `trade_items` (
	`trade_id` text NOT NULL,
	`collectible_id` text NOT NULL,
	`serial_number` integer NOT NULL,
	`side` text NOT NULL,
	PRIMARY KEY(`trade_id`, `collectible_id`, `serial_number`),
	FOREIGN KEY (`trade_id`) REFERENCES `trades`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`collectible_id`,`serial_number`) REFERENCES `user_items`(`collectible_id`,`serial_number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "trade_items_side" CHECK("trade_items"."side" in ('give', 'want'))
) STRICT;
