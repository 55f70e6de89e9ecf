CREATE TABLE "catalogue_versions" (
	"kind" text COLLATE "C" PRIMARY KEY NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "check_ins" (
	"user_id" text COLLATE "C" NOT NULL,
	"match_id" text COLLATE "C" NOT NULL,
	"checked_in_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "check_ins_pk" PRIMARY KEY("user_id","match_id")
);
--> statement-breakpoint
CREATE TABLE "event_distribution" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"last_position" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_sinks" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"lease_holder" text COLLATE "C",
	"lease_ends_at" timestamp (3) with time zone,
	CONSTRAINT "event_sinks_lease" CHECK (("event_sinks"."lease_holder" is null) = ("event_sinks"."lease_ends_at" is null))
);
--> statement-breakpoint
CREATE TABLE "events" (
	"source" text COLLATE "C" NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C",
	"sequence" bigint,
	"type" text COLLATE "C",
	"occurred_at" timestamp (3) with time zone,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"revision" bigint,
	"data" text,
	"position" bigint,
	"digest" text COLLATE "C",
	"decisions" text,
	"voided_at" timestamp (3) with time zone,
	"void_note" text,
	"taken" text,
	CONSTRAINT "events_pk" PRIMARY KEY("source","event_id"),
	CONSTRAINT "events_of_a_fan_have_a_sequence" CHECK (("events"."user_id" is null) = ("events"."sequence" is null)),
	CONSTRAINT "events_of_nobody_are_voids" CHECK ("events"."user_id" is not null or "events"."voided_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "match_settlements" (
	"match_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"revision" bigint NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"home_score" bigint,
	"away_score" bigint,
	"kickoff_at" timestamp (3) with time zone NOT NULL,
	"revised_at" timestamp (3) with time zone NOT NULL,
	"points_outcome" bigint,
	"points_difference" bigint,
	"points_exact" bigint,
	"season" text,
	"cursor" text COLLATE "C" NOT NULL,
	"last_pass" boolean NOT NULL,
	"due_at" timestamp (3) with time zone,
	CONSTRAINT "match_settlements_action" CHECK ("match_settlements"."action" in ('settle', 'void', 'reopen')),
	CONSTRAINT "match_settlements_scores" CHECK (("match_settlements"."action" = 'settle') = ("match_settlements"."home_score" is not null) and ("match_settlements"."home_score" is null) = ("match_settlements"."away_score" is null))
);
--> statement-breakpoint
CREATE TABLE "matches" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"competition" text NOT NULL,
	"season" text NOT NULL,
	"round" text,
	"home_team_id" text COLLATE "C" NOT NULL,
	"away_team_id" text COLLATE "C" NOT NULL,
	"kickoff_at" timestamp (3) with time zone NOT NULL,
	"venue" text,
	"status" text COLLATE "C" NOT NULL,
	"home_score" bigint,
	"away_score" bigint,
	"revision" bigint NOT NULL,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "matches_status" CHECK ("matches"."status" in ('scheduled', 'live', 'finished', 'postponed', 'cancelled')),
	CONSTRAINT "matches_teams" CHECK ("matches"."home_team_id" <> "matches"."away_team_id"),
	CONSTRAINT "matches_revision" CHECK ("matches"."revision" >= 1),
	CONSTRAINT "matches_scores" CHECK (("matches"."home_score" is null) = ("matches"."away_score" is null)),
	CONSTRAINT "matches_scores_not_negative" CHECK ("matches"."home_score" >= 0 and "matches"."away_score" >= 0),
	CONSTRAINT "matches_scores_of_played" CHECK ("matches"."home_score" is null or "matches"."status" in ('live', 'finished')),
	CONSTRAINT "matches_finished_with_scores" CHECK ("matches"."home_score" is not null or "matches"."status" <> 'finished')
);
--> statement-breakpoint
CREATE TABLE "points_grants" (
	"ref" text COLLATE "C" PRIMARY KEY NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"delta" bigint NOT NULL,
	"entry_id" text COLLATE "C" NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "predictions" (
	"match_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"home_score" bigint NOT NULL,
	"away_score" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"revision" bigint,
	"settled_by" bigint,
	"outcome" boolean,
	"difference" boolean,
	"exact" boolean,
	"points" bigint NOT NULL,
	"booked" bigint NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "predictions_pk" PRIMARY KEY("match_id","user_id"),
	CONSTRAINT "predictions_scores_not_negative" CHECK ("predictions"."home_score" >= 0 and "predictions"."away_score" >= 0),
	CONSTRAINT "predictions_state" CHECK ("predictions"."state" in ('open', 'settled', 'void')),
	CONSTRAINT "predictions_settled" CHECK (("predictions"."state" = 'settled') = ("predictions"."exact" is not null)),
	CONSTRAINT "predictions_booked" CHECK ("predictions"."booked" >= "predictions"."points" and "predictions"."points" >= 0)
);
--> statement-breakpoint
CREATE TABLE "quest_counts" (
	"user_id" text COLLATE "C" NOT NULL,
	"quest_id" text COLLATE "C" NOT NULL,
	"period" text COLLATE "C" NOT NULL,
	"step_id" text COLLATE "C" NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"value" text COLLATE "C",
	CONSTRAINT "quest_counts_pk" PRIMARY KEY("user_id","quest_id","period","step_id","source","event_id")
);
--> statement-breakpoint
CREATE TABLE "quest_progress" (
	"user_id" text COLLATE "C" NOT NULL,
	"quest_id" text COLLATE "C" NOT NULL,
	"period" text COLLATE "C" NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"version" bigint NOT NULL,
	"counts" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"completion_id" text COLLATE "C",
	"claimed_at" timestamp (3) with time zone,
	"given" text,
	CONSTRAINT "quest_progress_pk" PRIMARY KEY("user_id","quest_id","period"),
	CONSTRAINT "quest_progress_completion" CHECK (("quest_progress"."completed_at" is null) = ("quest_progress"."completion_id" is null)),
	CONSTRAINT "quest_progress_claim" CHECK ("quest_progress"."claimed_at" is null or "quest_progress"."completed_at" is not null),
	CONSTRAINT "quest_progress_given" CHECK (("quest_progress"."claimed_at" is null) = ("quest_progress"."given" is null))
);
--> statement-breakpoint
CREATE TABLE "quest_requirements" (
	"quest_id" text COLLATE "C" NOT NULL,
	"required_id" text COLLATE "C" NOT NULL,
	CONSTRAINT "quest_requirements_pk" PRIMARY KEY("quest_id","required_id")
);
--> statement-breakpoint
CREATE TABLE "quest_streaks" (
	"user_id" text COLLATE "C" NOT NULL,
	"quest_id" text COLLATE "C" NOT NULL,
	"current" bigint NOT NULL,
	"best" bigint NOT NULL,
	"grace_left" bigint NOT NULL,
	"last_ends_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "quest_streaks_pk" PRIMARY KEY("user_id","quest_id"),
	CONSTRAINT "quest_streaks_counts" CHECK ("quest_streaks"."current" between 1 and "quest_streaks"."best"),
	CONSTRAINT "quest_streaks_grace" CHECK ("quest_streaks"."grace_left" >= 0)
);
--> statement-breakpoint
CREATE TABLE "quest_versions" (
	"quest_id" text COLLATE "C" NOT NULL,
	"version" bigint NOT NULL,
	"entry" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "quest_versions_pk" PRIMARY KEY("quest_id","version")
);
--> statement-breakpoint
CREATE TABLE "quests" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"active" boolean NOT NULL,
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rule_budgets" (
	"rule_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"granted" bigint NOT NULL,
	CONSTRAINT "rule_budgets_not_negative" CHECK ("rule_budgets"."granted" >= 0)
);
--> statement-breakpoint
CREATE TABLE "rule_uses" (
	"user_id" text COLLATE "C" NOT NULL,
	"rule_id" text COLLATE "C" NOT NULL,
	"window" text COLLATE "C" NOT NULL,
	"uses" bigint NOT NULL,
	CONSTRAINT "rule_uses_pk" PRIMARY KEY("user_id","rule_id","window"),
	CONSTRAINT "rule_uses_not_negative" CHECK ("rule_uses"."uses" >= 0)
);
--> statement-breakpoint
CREATE TABLE "rule_versions" (
	"rule_id" text COLLATE "C" NOT NULL,
	"version" bigint NOT NULL,
	"entry" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rule_versions_pk" PRIMARY KEY("rule_id","version")
);
--> statement-breakpoint
CREATE TABLE "rules" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"event_type" text COLLATE "C" NOT NULL,
	"definition" text NOT NULL,
	"active" boolean NOT NULL,
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "server_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"current_of" text COLLATE "C",
	"scopes" text NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"endpoint_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"sequence" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"body" text NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempted_at" timestamp (3) with time zone,
	"status" bigint,
	"answer" text,
	CONSTRAINT "webhook_deliveries_pk" PRIMARY KEY("endpoint_id","user_id","sequence"),
	CONSTRAINT "webhook_deliveries_state" CHECK ("webhook_deliveries"."state" in ('pending', 'delivered', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"types" text NOT NULL,
	"sealed_secret" text NOT NULL,
	"sealed_previous_secret" text,
	"previous_secret_ends_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"since_revision" bigint DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	"disabled_reason" text COLLATE "C",
	CONSTRAINT "webhook_endpoints_disabled_reason" CHECK ("webhook_endpoints"."disabled_reason" in ('operator', 'gone', 'failing')),
	CONSTRAINT "webhook_endpoints_disabled" CHECK (("webhook_endpoints"."disabled_at" is null) = ("webhook_endpoints"."disabled_reason" is null)),
	CONSTRAINT "webhook_endpoints_previous_secret" CHECK (("webhook_endpoints"."sealed_previous_secret" is null) = ("webhook_endpoints"."previous_secret_ends_at" is null))
);
--> statement-breakpoint
CREATE TABLE "webhook_lanes" (
	"endpoint_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL,
	"lease_ends_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_lanes_pk" PRIMARY KEY("endpoint_id","user_id")
);
--> statement-breakpoint
DROP INDEX "user_items_collectible_serial_unique";--> statement-breakpoint
ALTER TABLE "user_items" DROP CONSTRAINT "user_items_pk";--> statement-breakpoint
ALTER TABLE "user_items" ALTER COLUMN "user_pack_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "user_items" ALTER COLUMN "position" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "user_items" ADD COLUMN "given_for" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "user_rewards" ADD COLUMN "used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "user_rewards" ADD COLUMN "used_by" text;--> statement-breakpoint
ALTER TABLE "check_ins" ADD CONSTRAINT "check_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_ins" ADD CONSTRAINT "check_ins_match_id_matches_id_fk" FOREIGN KEY ("match_id") REFERENCES "public"."matches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "match_settlements" ADD CONSTRAINT "match_settlements_match_id_matches_id_fk" FOREIGN KEY ("match_id") REFERENCES "public"."matches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matches" ADD CONSTRAINT "matches_home_team_id_teams_id_fk" FOREIGN KEY ("home_team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matches" ADD CONSTRAINT "matches_away_team_id_teams_id_fk" FOREIGN KEY ("away_team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "points_grants" ADD CONSTRAINT "points_grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "predictions" ADD CONSTRAINT "predictions_match_id_matches_id_fk" FOREIGN KEY ("match_id") REFERENCES "public"."matches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "predictions" ADD CONSTRAINT "predictions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_counts" ADD CONSTRAINT "quest_counts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_counts" ADD CONSTRAINT "quest_counts_quest_id_quests_id_fk" FOREIGN KEY ("quest_id") REFERENCES "public"."quests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_progress" ADD CONSTRAINT "quest_progress_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_progress" ADD CONSTRAINT "quest_progress_quest_id_quests_id_fk" FOREIGN KEY ("quest_id") REFERENCES "public"."quests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_requirements" ADD CONSTRAINT "quest_requirements_quest_id_quests_id_fk" FOREIGN KEY ("quest_id") REFERENCES "public"."quests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_requirements" ADD CONSTRAINT "quest_requirements_required_id_quests_id_fk" FOREIGN KEY ("required_id") REFERENCES "public"."quests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_streaks" ADD CONSTRAINT "quest_streaks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_streaks" ADD CONSTRAINT "quest_streaks_quest_id_quests_id_fk" FOREIGN KEY ("quest_id") REFERENCES "public"."quests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quest_versions" ADD CONSTRAINT "quest_versions_quest_id_quests_id_fk" FOREIGN KEY ("quest_id") REFERENCES "public"."quests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_budgets" ADD CONSTRAINT "rule_budgets_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_uses" ADD CONSTRAINT "rule_uses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_uses" ADD CONSTRAINT "rule_uses_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_versions" ADD CONSTRAINT "rule_versions_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_lanes" ADD CONSTRAINT "webhook_lanes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "events_user_sequence_unique" ON "events" USING btree ("user_id","sequence");--> statement-breakpoint
CREATE INDEX "events_recorded" ON "events" USING btree ("recorded_at") WHERE "events"."data" is not null;--> statement-breakpoint
CREATE INDEX "events_awaiting" ON "events" USING btree ("user_id","sequence") WHERE "events"."position" = 0;--> statement-breakpoint
CREATE UNIQUE INDEX "events_position_unique" ON "events" USING btree ("position") WHERE "events"."position" > 0;--> statement-breakpoint
CREATE INDEX "match_settlements_due" ON "match_settlements" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "matches_kickoff" ON "matches" USING btree ("kickoff_at","id");--> statement-breakpoint
CREATE INDEX "points_grants_user" ON "points_grants" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "predictions_user" ON "predictions" USING btree ("user_id","created_at","match_id");--> statement-breakpoint
CREATE INDEX "rules_event_type" ON "rules" USING btree ("event_type");--> statement-breakpoint
CREATE UNIQUE INDEX "server_keys_hash_unique" ON "server_keys" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "server_keys_current_unique" ON "server_keys" USING btree ("current_of");--> statement-breakpoint
CREATE INDEX "server_keys_source" ON "server_keys" USING btree ("source");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("endpoint_id","user_id","sequence") WHERE "webhook_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_lanes_due" ON "webhook_lanes" USING btree ("endpoint_id","next_attempt_at");--> statement-breakpoint
CREATE INDEX "webhook_lanes_leased" ON "webhook_lanes" USING btree ("endpoint_id","lease_ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "user_items_position_unique" ON "user_items" USING btree ("user_pack_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "user_items_given_unique" ON "user_items" USING btree ("user_id","given_for");--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_pk" PRIMARY KEY("collectible_id","serial_number");--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_of_a_pack" CHECK (("user_items"."user_pack_id" is null) = ("user_items"."position" is null));--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_drawn_or_given" CHECK (("user_items"."user_pack_id" is null) = ("user_items"."given_for" is not null));