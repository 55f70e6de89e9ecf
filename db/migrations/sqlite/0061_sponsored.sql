ALTER TABLE `matches` ADD `sponsor_id` text;--> statement-breakpoint
ALTER TABLE `rewards` ADD `sponsor_id` text;--> statement-breakpoint
ALTER TABLE `packs` ADD `sponsor_id` text;--> statement-breakpoint
ALTER TABLE `products` ADD `sponsor_id` text;