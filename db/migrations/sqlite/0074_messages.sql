CREATE TABLE `notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`event_type` text,
	`at` text,
	`segment` text,
	`when` text,
	`category` text NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`url` text,
	`image_url` text,
	`push` integer NOT NULL,
	`digest` integer,
	`sponsor_id` text,
	`translations` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "notifications_trigger" CHECK(("notifications"."event_type" is null) <> ("notifications"."at" is null))
) STRICT;
--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`notification_id` text NOT NULL,
	`cause` text NOT NULL,
	`category` text NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`url` text,
	`image_url` text,
	`created_at` integer NOT NULL,
	`read_at` integer,
	`hidden_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_cause` ON `messages` (`user_id`,`notification_id`,`cause`);--> statement-breakpoint
CREATE INDEX `messages_inbox` ON `messages` (`user_id`,`created_at`,`id`) WHERE "messages"."hidden_at" is null;--> statement-breakpoint
CREATE INDEX `messages_unread` ON `messages` (`user_id`) WHERE "messages"."read_at" is null and "messages"."hidden_at" is null;--> statement-breakpoint
CREATE INDEX `messages_created` ON `messages` (`created_at`);--> statement-breakpoint
CREATE TABLE `match_reminders` (
	`match_id` text NOT NULL,
	`moment` text NOT NULL,
	`cursor` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`match_id`, `moment`),
	FOREIGN KEY (`match_id`) REFERENCES `matches`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
