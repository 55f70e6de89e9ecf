CREATE TABLE `league_rounds` (
	`league_id` text NOT NULL,
	`number` integer NOT NULL,
	`week` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`closed_at` integer,
	`tell_from` integer,
	PRIMARY KEY(`league_id`, `number`),
	FOREIGN KEY (`league_id`) REFERENCES `leagues`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "league_rounds_order" CHECK("league_rounds"."starts_at" < "league_rounds"."ends_at")
) STRICT;
--> statement-breakpoint
CREATE INDEX `league_rounds_tell` ON `league_rounds` (`league_id`,`number`) WHERE "league_rounds"."tell_from" is not null;--> statement-breakpoint
CREATE TABLE `league_pairs` (
	`league_id` text NOT NULL,
	`round` integer NOT NULL,
	`position` integer NOT NULL,
	`home` integer NOT NULL,
	`away` integer,
	`home_points` integer,
	`away_points` integer,
	PRIMARY KEY(`league_id`, `round`, `position`),
	FOREIGN KEY (`league_id`) REFERENCES `leagues`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "league_pairs_home_not_away" CHECK("league_pairs"."home" <> "league_pairs"."away"),
	CONSTRAINT "league_pairs_points" CHECK(("league_pairs"."away_points" is null) or ("league_pairs"."home_points" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `league_pairs_home_unique` ON `league_pairs` (`league_id`,`round`,`home`);--> statement-breakpoint
CREATE UNIQUE INDEX `league_pairs_away_unique` ON `league_pairs` (`league_id`,`round`,`away`);--> statement-breakpoint
ALTER TABLE `leagues` ADD `competition` text;--> statement-breakpoint
ALTER TABLE `leagues` ADD `format` text DEFAULT 'table' NOT NULL;--> statement-breakpoint
ALTER TABLE `leagues` ADD `season_id` text;--> statement-breakpoint
ALTER TABLE `leagues` ADD `starts_at` integer;--> statement-breakpoint
ALTER TABLE `leagues` ADD `ends_at` integer;--> statement-breakpoint
ALTER TABLE `leagues` ADD `seed` text;--> statement-breakpoint
ALTER TABLE `leagues` ADD `rounds` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `leagues` ADD `due_at` integer;--> statement-breakpoint
ALTER TABLE `leagues` ADD `final_at` integer;--> statement-breakpoint
CREATE INDEX `leagues_due` ON `leagues` (`due_at`);--> statement-breakpoint
ALTER TABLE `league_members` ADD `match_points` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `league_members` ADD `final_points` integer;