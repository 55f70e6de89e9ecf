CREATE TABLE `notification_preferences` (
	`user_id` text PRIMARY KEY NOT NULL,
	`account_push` integer NOT NULL,
	`orders_push` integer NOT NULL,
	`rewards_push` integer NOT NULL,
	`rewards_inbox` integer NOT NULL,
	`match_push` integer NOT NULL,
	`match_inbox` integer NOT NULL,
	`social_push` integer NOT NULL,
	`social_inbox` integer NOT NULL,
	`marketing_push` integer NOT NULL,
	`marketing_inbox` integer NOT NULL,
	`quiet_from` integer,
	`quiet_to` integer,
	`time_zone` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notification_preferences_quiet" CHECK(("notification_preferences"."quiet_from" is null) = ("notification_preferences"."quiet_to" is null) and ("notification_preferences"."quiet_from" is null or "notification_preferences"."quiet_from" <> "notification_preferences"."quiet_to")),
	CONSTRAINT "notification_preferences_minutes" CHECK("notification_preferences"."quiet_from" is null or ("notification_preferences"."quiet_from" between 0 and 1439 and "notification_preferences"."quiet_to" between 0 and 1439))
) STRICT, WITHOUT ROWID;
