CREATE TABLE `devices` (
	`user_id` text NOT NULL,
	`device_id` text NOT NULL,
	`kind` text NOT NULL,
	`service` text NOT NULL,
	`match_id` text,
	`token_hash` text NOT NULL,
	`encrypted_token` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `device_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "devices_kind" CHECK("devices"."kind" in ('webpush', 'fcm', 'apns', 'live_activity')),
	CONSTRAINT "devices_of_match" CHECK("devices"."match_id" is null or "devices"."kind" = 'live_activity')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `devices_token` ON `devices` (`token_hash`);--> statement-breakpoint
CREATE INDEX `devices_match` ON `devices` (`match_id`) WHERE "devices"."match_id" is not null;--> statement-breakpoint
CREATE TABLE `push_services` (
	`name` text PRIMARY KEY NOT NULL,
	`paused_until` integer,
	`refused_since` integer,
	`refusal` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `push_deliveries` (
	`user_id` text NOT NULL,
	`device_id` text NOT NULL,
	`message_id` text NOT NULL,
	`position` integer NOT NULL,
	`service` text NOT NULL,
	`bulk` integer NOT NULL,
	`category` text NOT NULL,
	`content` text,
	`collapse_key` text,
	`sender_id` text,
	`state` text NOT NULL,
	`reason` text,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`lease_ends_at` integer,
	`counted_at` integer,
	`ended_at` integer,
	`status` integer,
	PRIMARY KEY(`user_id`, `device_id`, `message_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "push_deliveries_state" CHECK("push_deliveries"."state" in ('pending', 'sent', 'skipped', 'failed')),
	CONSTRAINT "push_deliveries_ended" CHECK(("push_deliveries"."state" = 'pending') = ("push_deliveries"."ended_at" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `push_deliveries_due` ON `push_deliveries` (`service`,`bulk`,`due_at`) WHERE "push_deliveries"."state" = 'pending' and "push_deliveries"."lease_ends_at" is null;--> statement-breakpoint
CREATE INDEX `push_deliveries_leases` ON `push_deliveries` (`service`,`bulk`,`lease_ends_at`) WHERE "push_deliveries"."lease_ends_at" is not null;--> statement-breakpoint
CREATE INDEX `push_deliveries_pending` ON `push_deliveries` (`user_id`,`device_id`,`position`) WHERE "push_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX `push_deliveries_counted` ON `push_deliveries` (`user_id`,`counted_at`) WHERE "push_deliveries"."counted_at" is not null;--> statement-breakpoint
CREATE INDEX `push_deliveries_created` ON `push_deliveries` (`created_at`);