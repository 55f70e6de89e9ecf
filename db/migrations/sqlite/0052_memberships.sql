CREATE TABLE `memberships` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`image_url` text,
	`benefits` text NOT NULL,
	`translations` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `fan_memberships` (
	`ref` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind_id` text NOT NULL,
	`number` text,
	`holder` text,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`begun` integer NOT NULL,
	`next_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`kind_id`) REFERENCES `memberships`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "fan_memberships_order" CHECK("fan_memberships"."starts_at" <= "fan_memberships"."ends_at")
) STRICT;
--> statement-breakpoint
CREATE INDEX `fan_memberships_fan` ON `fan_memberships` (`user_id`,`kind_id`);--> statement-breakpoint
CREATE INDEX `fan_memberships_due` ON `fan_memberships` (`next_at`);