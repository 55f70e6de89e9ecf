CREATE TABLE `message_campaigns` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`content` text NOT NULL,
	`definition` text,
	`started_at` integer NOT NULL,
	`begins_at` integer NOT NULL,
	`listed_at` integer,
	`stopped_at` integer,
	`resumed_at` integer,
	`finished_at` integer,
	`fans` integer NOT NULL,
	`sent` integer NOT NULL,
	`skipped` integer NOT NULL,
	CONSTRAINT "message_campaigns_state" CHECK("message_campaigns"."state" in ('scheduled', 'running', 'stopped', 'finished')),
	CONSTRAINT "message_campaigns_finished" CHECK(("message_campaigns"."state" = 'finished') = ("message_campaigns"."finished_at" is not null)),
	CONSTRAINT "message_campaigns_counts" CHECK("message_campaigns"."sent" >= 0 and "message_campaigns"."skipped" >= 0 and "message_campaigns"."sent" + "message_campaigns"."skipped" <= "message_campaigns"."fans")
) STRICT;
--> statement-breakpoint
CREATE INDEX `message_campaigns_state` ON `message_campaigns` (`state`,`begins_at`);--> statement-breakpoint
CREATE TABLE `message_campaign_fans` (
	`campaign_id` text NOT NULL,
	`user_id` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`message_id` text,
	PRIMARY KEY(`campaign_id`, `user_id`),
	FOREIGN KEY (`campaign_id`) REFERENCES `message_campaigns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "message_campaign_fans_state" CHECK("message_campaign_fans"."state" in ('queued', 'sent', 'skipped')),
	CONSTRAINT "message_campaign_fans_message" CHECK(("message_campaign_fans"."state" = 'sent') = ("message_campaign_fans"."message_id" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `message_campaign_fans_due` ON `message_campaign_fans` (`campaign_id`,`due_at`,`user_id`) WHERE "message_campaign_fans"."state" = 'queued';--> statement-breakpoint
CREATE INDEX `message_campaign_fans_fan` ON `message_campaign_fans` (`user_id`);--> statement-breakpoint
ALTER TABLE `messages` ADD `clicked_at` integer;--> statement-breakpoint
CREATE INDEX `push_deliveries_held` ON `push_deliveries` (`user_id`) WHERE "push_deliveries"."reason" = 'campaign_stopped';