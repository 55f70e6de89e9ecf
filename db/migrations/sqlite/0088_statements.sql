CREATE TABLE `moderation_statements` (
	`decision_id` text PRIMARY KEY NOT NULL,
	`fan_id` text NOT NULL,
	`facts` text,
	`automated` integer NOT NULL,
	FOREIGN KEY (`decision_id`) REFERENCES `moderation_decisions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`fan_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `moderation_statements_fan` ON `moderation_statements` (`fan_id`);