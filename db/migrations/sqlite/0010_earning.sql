CREATE TABLE `catalogue_versions` (
	`kind` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `check_ins` (
	`user_id` text NOT NULL,
	`match_id` text NOT NULL,
	`checked_in_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `match_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`match_id`) REFERENCES `matches`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `event_distribution` (
	`id` text PRIMARY KEY NOT NULL,
	`last_position` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `event_sinks` (
	`name` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`lease_holder` text,
	`lease_ends_at` integer,
	CONSTRAINT "event_sinks_lease" CHECK(("event_sinks"."lease_holder" is null) = ("event_sinks"."lease_ends_at" is null))
) STRICT;
--> statement-breakpoint
CREATE TABLE `events` (
	`source` text NOT NULL,
	`event_id` text NOT NULL,
	`user_id` text,
	`sequence` integer,
	`type` text,
	`occurred_at` integer,
	`recorded_at` integer NOT NULL,
	`revision` integer,
	`data` text,
	`position` integer,
	`digest` text,
	`decisions` text,
	`voided_at` integer,
	`void_note` text,
	`taken` text,
	PRIMARY KEY(`source`, `event_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "events_of_a_fan_have_a_sequence" CHECK(("events"."user_id" is null) = ("events"."sequence" is null)),
	CONSTRAINT "events_of_nobody_are_voids" CHECK("events"."user_id" is not null or "events"."voided_at" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `events_user_sequence_unique` ON `events` (`user_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `events_recorded` ON `events` (`recorded_at`) WHERE "events"."data" is not null;--> statement-breakpoint
CREATE INDEX `events_awaiting` ON `events` (`user_id`,`sequence`) WHERE "events"."position" = 0;--> statement-breakpoint
CREATE UNIQUE INDEX `events_position_unique` ON `events` (`position`) WHERE "events"."position" > 0;--> statement-breakpoint
CREATE TABLE `match_settlements` (
	`match_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`action` text NOT NULL,
	`home_score` integer,
	`away_score` integer,
	`kickoff_at` integer NOT NULL,
	`revised_at` integer NOT NULL,
	`points_outcome` integer,
	`points_difference` integer,
	`points_exact` integer,
	`season` text,
	`cursor` text NOT NULL,
	`last_pass` integer NOT NULL,
	`due_at` integer,
	FOREIGN KEY (`match_id`) REFERENCES `matches`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "match_settlements_action" CHECK("match_settlements"."action" in ('settle', 'void', 'reopen')),
	CONSTRAINT "match_settlements_scores" CHECK(("match_settlements"."action" = 'settle') = ("match_settlements"."home_score" is not null) and ("match_settlements"."home_score" is null) = ("match_settlements"."away_score" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `match_settlements_due` ON `match_settlements` (`due_at`);--> statement-breakpoint
CREATE TABLE `matches` (
	`id` text PRIMARY KEY NOT NULL,
	`competition` text NOT NULL,
	`season` text NOT NULL,
	`round` text,
	`home_team_id` text NOT NULL,
	`away_team_id` text NOT NULL,
	`kickoff_at` integer NOT NULL,
	`venue` text,
	`status` text NOT NULL,
	`home_score` integer,
	`away_score` integer,
	`revision` integer NOT NULL,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`home_team_id`) REFERENCES `teams`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`away_team_id`) REFERENCES `teams`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "matches_status" CHECK("matches"."status" in ('scheduled', 'live', 'finished', 'postponed', 'cancelled')),
	CONSTRAINT "matches_teams" CHECK("matches"."home_team_id" <> "matches"."away_team_id"),
	CONSTRAINT "matches_revision" CHECK("matches"."revision" >= 1),
	CONSTRAINT "matches_scores" CHECK(("matches"."home_score" is null) = ("matches"."away_score" is null)),
	CONSTRAINT "matches_scores_not_negative" CHECK("matches"."home_score" >= 0 and "matches"."away_score" >= 0),
	CONSTRAINT "matches_scores_of_played" CHECK("matches"."home_score" is null or "matches"."status" in ('live', 'finished')),
	CONSTRAINT "matches_finished_with_scores" CHECK("matches"."home_score" is not null or "matches"."status" <> 'finished')
) STRICT;
--> statement-breakpoint
CREATE INDEX `matches_kickoff` ON `matches` (`kickoff_at`,`id`);--> statement-breakpoint
CREATE TABLE `points_grants` (
	`ref` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`user_id` text NOT NULL,
	`delta` integer NOT NULL,
	`entry_id` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `points_grants_user` ON `points_grants` (`user_id`);--> statement-breakpoint
CREATE TABLE `predictions` (
	`match_id` text NOT NULL,
	`user_id` text NOT NULL,
	`home_score` integer NOT NULL,
	`away_score` integer NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`state` text NOT NULL,
	`revision` integer,
	`settled_by` integer,
	`outcome` integer,
	`difference` integer,
	`exact` integer,
	`points` integer NOT NULL,
	`booked` integer NOT NULL,
	`settled_at` integer,
	PRIMARY KEY(`match_id`, `user_id`),
	FOREIGN KEY (`match_id`) REFERENCES `matches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "predictions_scores_not_negative" CHECK("predictions"."home_score" >= 0 and "predictions"."away_score" >= 0),
	CONSTRAINT "predictions_state" CHECK("predictions"."state" in ('open', 'settled', 'void')),
	CONSTRAINT "predictions_settled" CHECK(("predictions"."state" = 'settled') = ("predictions"."exact" is not null)),
	CONSTRAINT "predictions_booked" CHECK("predictions"."booked" >= "predictions"."points" and "predictions"."points" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `predictions_user` ON `predictions` (`user_id`,`created_at`,`match_id`);--> statement-breakpoint
CREATE TABLE `quest_counts` (
	`user_id` text NOT NULL,
	`quest_id` text NOT NULL,
	`period` text NOT NULL,
	`step_id` text NOT NULL,
	`source` text NOT NULL,
	`event_id` text NOT NULL,
	`value` text,
	PRIMARY KEY(`user_id`, `quest_id`, `period`, `step_id`, `source`, `event_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`quest_id`) REFERENCES `quests`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `quest_progress` (
	`user_id` text NOT NULL,
	`quest_id` text NOT NULL,
	`period` text NOT NULL,
	`ends_at` integer,
	`version` integer NOT NULL,
	`counts` text NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`completion_id` text,
	`claimed_at` integer,
	`given` text,
	PRIMARY KEY(`user_id`, `quest_id`, `period`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`quest_id`) REFERENCES `quests`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "quest_progress_completion" CHECK(("quest_progress"."completed_at" is null) = ("quest_progress"."completion_id" is null)),
	CONSTRAINT "quest_progress_claim" CHECK("quest_progress"."claimed_at" is null or "quest_progress"."completed_at" is not null),
	CONSTRAINT "quest_progress_given" CHECK(("quest_progress"."claimed_at" is null) = ("quest_progress"."given" is null))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `quest_requirements` (
	`quest_id` text NOT NULL,
	`required_id` text NOT NULL,
	PRIMARY KEY(`quest_id`, `required_id`),
	FOREIGN KEY (`quest_id`) REFERENCES `quests`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`required_id`) REFERENCES `quests`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `quest_streaks` (
	`user_id` text NOT NULL,
	`quest_id` text NOT NULL,
	`current` integer NOT NULL,
	`best` integer NOT NULL,
	`grace_left` integer NOT NULL,
	`last_ends_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `quest_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`quest_id`) REFERENCES `quests`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "quest_streaks_counts" CHECK("quest_streaks"."current" between 1 and "quest_streaks"."best"),
	CONSTRAINT "quest_streaks_grace" CHECK("quest_streaks"."grace_left" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `quest_versions` (
	`quest_id` text NOT NULL,
	`version` integer NOT NULL,
	`entry` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`quest_id`, `version`),
	FOREIGN KEY (`quest_id`) REFERENCES `quests`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `quests` (
	`id` text PRIMARY KEY NOT NULL,
	`active` integer NOT NULL,
	`starts_at` integer,
	`ends_at` integer,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `rule_budgets` (
	`rule_id` text PRIMARY KEY NOT NULL,
	`granted` integer NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rule_budgets_not_negative" CHECK("rule_budgets"."granted" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `rule_uses` (
	`user_id` text NOT NULL,
	`rule_id` text NOT NULL,
	`window` text NOT NULL,
	`uses` integer NOT NULL,
	PRIMARY KEY(`user_id`, `rule_id`, `window`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rule_uses_not_negative" CHECK("rule_uses"."uses" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `rule_versions` (
	`rule_id` text NOT NULL,
	`version` integer NOT NULL,
	`entry` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `version`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `rules` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`event_type` text NOT NULL,
	`definition` text NOT NULL,
	`active` integer NOT NULL,
	`starts_at` integer,
	`ends_at` integer,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `rules_event_type` ON `rules` (`event_type`);--> statement-breakpoint
CREATE TABLE `server_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`current_of` text,
	`scopes` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `server_keys_hash_unique` ON `server_keys` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `server_keys_current_unique` ON `server_keys` (`current_of`);--> statement-breakpoint
CREATE INDEX `server_keys_source` ON `server_keys` (`source`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`endpoint_id` text NOT NULL,
	`user_id` text NOT NULL,
	`sequence` integer NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`attempted_at` integer,
	`status` integer,
	`answer` text,
	PRIMARY KEY(`endpoint_id`, `user_id`, `sequence`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_deliveries_state" CHECK("webhook_deliveries"."state" in ('pending', 'delivered', 'failed'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`endpoint_id`,`user_id`,`sequence`) WHERE "webhook_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`types` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`sealed_previous_secret` text,
	`previous_secret_ends_at` integer,
	`created_at` integer NOT NULL,
	`since_revision` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`disabled_at` integer,
	`disabled_reason` text,
	CONSTRAINT "webhook_endpoints_disabled_reason" CHECK("webhook_endpoints"."disabled_reason" in ('operator', 'gone', 'failing')),
	CONSTRAINT "webhook_endpoints_disabled" CHECK(("webhook_endpoints"."disabled_at" is null) = ("webhook_endpoints"."disabled_reason" is null)),
	CONSTRAINT "webhook_endpoints_previous_secret" CHECK(("webhook_endpoints"."sealed_previous_secret" is null) = ("webhook_endpoints"."previous_secret_ends_at" is null))
) STRICT;
--> statement-breakpoint
CREATE TABLE `webhook_lanes` (
	`endpoint_id` text NOT NULL,
	`user_id` text NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`lease_ends_at` integer,
	PRIMARY KEY(`endpoint_id`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `webhook_lanes_due` ON `webhook_lanes` (`endpoint_id`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `webhook_lanes_leased` ON `webhook_lanes` (`endpoint_id`,`lease_ends_at`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_user_items` (
	`user_pack_id` text,
	`position` integer,
	`given_for` text,
	`user_id` text NOT NULL,
	`collectible_id` text NOT NULL,
	`serial_number` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`collectible_id`, `serial_number`),
	FOREIGN KEY (`user_pack_id`) REFERENCES `user_packs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`collectible_id`) REFERENCES `collectibles`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "user_items_of_a_pack" CHECK(("__new_user_items"."user_pack_id" is null) = ("__new_user_items"."position" is null)),
	CONSTRAINT "user_items_drawn_or_given" CHECK(("__new_user_items"."user_pack_id" is null) = ("__new_user_items"."given_for" is not null))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_user_items`("user_pack_id", "position", "given_for", "user_id", "collectible_id", "serial_number", "created_at") SELECT "user_pack_id", "position", NULL, "user_id", "collectible_id", "serial_number", "created_at" FROM `user_items`;--> statement-breakpoint
DROP TABLE `user_items`;--> statement-breakpoint
ALTER TABLE `__new_user_items` RENAME TO `user_items`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `user_items_position_unique` ON `user_items` (`user_pack_id`,`position`);--> statement-breakpoint
CREATE UNIQUE INDEX `user_items_given_unique` ON `user_items` (`user_id`,`given_for`);--> statement-breakpoint
CREATE INDEX `user_items_collection` ON `user_items` (`user_id`,`collectible_id`,`serial_number`);--> statement-breakpoint
ALTER TABLE `user_rewards` ADD `used_at` integer;--> statement-breakpoint
ALTER TABLE `user_rewards` ADD `used_by` text;