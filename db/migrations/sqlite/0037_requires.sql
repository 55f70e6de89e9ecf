ALTER TABLE `rewards` ADD `requires` text;--> statement-breakpoint
ALTER TABLE `packs` ADD `requires` text;--> statement-breakpoint
ALTER TABLE `products` ADD `requires` text;