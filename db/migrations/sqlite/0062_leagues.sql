CREATE TABLE `leagues` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`code` text NOT NULL,
	`owner_id` text NOT NULL,
	`scoring` text NOT NULL,
	`season` text,
	`board` text NOT NULL,
	`count_from` text NOT NULL,
	`locked` integer NOT NULL,
	`members` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "leagues_scoring" CHECK("leagues"."scoring" in ('points', 'predictions')),
	CONSTRAINT "leagues_count_from" CHECK("leagues"."count_from" in ('join', 'start')),
	CONSTRAINT "leagues_season_of_predictions" CHECK("leagues"."season" is null or "leagues"."scoring" = 'predictions'),
	CONSTRAINT "leagues_members_limit" CHECK("leagues"."members" between 1 and 1000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `leagues_code_unique` ON `leagues` (`code`);--> statement-breakpoint
CREATE INDEX `leagues_owner` ON `leagues` (`owner_id`);--> statement-breakpoint
CREATE TABLE `league_members` (
	`league_id` text NOT NULL,
	`user_id` text NOT NULL,
	`joined_at` integer NOT NULL,
	`counts_from` integer,
	`baseline` integer NOT NULL,
	PRIMARY KEY(`league_id`, `user_id`),
	FOREIGN KEY (`league_id`) REFERENCES `leagues`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "league_members_baseline" CHECK("league_members"."baseline" between 0 and 9007199254740991)
) STRICT;
--> statement-breakpoint
CREATE INDEX `league_members_fan` ON `league_members` (`user_id`,`joined_at`,`league_id`);--> statement-breakpoint
CREATE INDEX `league_members_joined` ON `league_members` (`league_id`,`joined_at`,`user_id`);--> statement-breakpoint
CREATE TABLE `league_bans` (
	`league_id` text NOT NULL,
	`user_id` text NOT NULL,
	`banned_at` integer NOT NULL,
	PRIMARY KEY(`league_id`, `user_id`),
	FOREIGN KEY (`league_id`) REFERENCES `leagues`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `league_bans_fan` ON `league_bans` (`user_id`);--> statement-breakpoint
ALTER TABLE `points_accounts` ADD `counted_from` integer;