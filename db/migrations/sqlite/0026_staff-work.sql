ALTER TABLE `moderation_decisions` ADD `decided_by_id` text;--> statement-breakpoint
ALTER TABLE `appeals` ADD `decided_by_id` text;--> statement-breakpoint
CREATE INDEX `orders_listed` ON `orders` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `order_lines_to_ship` ON `order_lines` (`state`,`order_id`) WHERE "order_lines"."kind" = 'physical' and "order_lines"."is_sold";