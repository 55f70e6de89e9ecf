CREATE TABLE "leagues" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"code" text COLLATE "C" NOT NULL,
	"owner_id" text COLLATE "C" NOT NULL,
	"scoring" text COLLATE "C" NOT NULL,
	"season" text,
	"board" text COLLATE "C" NOT NULL,
	"count_from" text COLLATE "C" NOT NULL,
	"locked" boolean NOT NULL,
	"members" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "leagues_scoring" CHECK ("leagues"."scoring" in ('points', 'predictions')),
	CONSTRAINT "leagues_count_from" CHECK ("leagues"."count_from" in ('join', 'start')),
	CONSTRAINT "leagues_season_of_predictions" CHECK ("leagues"."season" is null or "leagues"."scoring" = 'predictions'),
	CONSTRAINT "leagues_members_limit" CHECK ("leagues"."members" between 1 and 1000)
);
--> statement-breakpoint
CREATE TABLE "league_members" (
	"league_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"counts_from" timestamp (3) with time zone,
	"baseline" bigint NOT NULL,
	CONSTRAINT "league_members_pk" PRIMARY KEY("league_id","user_id"),
	CONSTRAINT "league_members_baseline" CHECK ("league_members"."baseline" between 0 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "league_bans" (
	"league_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"banned_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "league_bans_pk" PRIMARY KEY("league_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "points_accounts" ADD COLUMN "counted_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leagues" ADD CONSTRAINT "leagues_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "league_members" ADD CONSTRAINT "league_members_league_id_leagues_id_fk" FOREIGN KEY ("league_id") REFERENCES "leagues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "league_members" ADD CONSTRAINT "league_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "league_bans" ADD CONSTRAINT "league_bans_league_id_leagues_id_fk" FOREIGN KEY ("league_id") REFERENCES "leagues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "league_bans" ADD CONSTRAINT "league_bans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "leagues_code_unique" ON "leagues" USING btree ("code");--> statement-breakpoint
CREATE INDEX "leagues_owner" ON "leagues" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "league_members_fan" ON "league_members" USING btree ("user_id","joined_at","league_id");--> statement-breakpoint
CREATE INDEX "league_members_joined" ON "league_members" USING btree ("league_id","joined_at","user_id");--> statement-breakpoint
CREATE INDEX "league_bans_fan" ON "league_bans" USING btree ("user_id");