CREATE TABLE "league_rounds" (
	"league_id" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"week" text COLLATE "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"tell_from" bigint,
	CONSTRAINT "league_rounds_pk" PRIMARY KEY("league_id","number"),
	CONSTRAINT "league_rounds_order" CHECK ("league_rounds"."starts_at" < "league_rounds"."ends_at")
);
--> statement-breakpoint
CREATE TABLE "league_pairs" (
	"league_id" text COLLATE "C" NOT NULL,
	"round" bigint NOT NULL,
	"position" bigint NOT NULL,
	"home" bigint NOT NULL,
	"away" bigint,
	"home_points" bigint,
	"away_points" bigint,
	CONSTRAINT "league_pairs_pk" PRIMARY KEY("league_id","round","position"),
	CONSTRAINT "league_pairs_home_not_away" CHECK ("league_pairs"."home" <> "league_pairs"."away"),
	CONSTRAINT "league_pairs_points" CHECK (("league_pairs"."away_points" is null) or ("league_pairs"."home_points" is not null))
);
--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "competition" text;--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "format" text COLLATE "C" DEFAULT 'table' NOT NULL;--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "season_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "starts_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "seed" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "rounds" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leagues" ADD COLUMN "final_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "league_members" ADD COLUMN "match_points" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "league_members" ADD COLUMN "final_points" bigint;--> statement-breakpoint
ALTER TABLE "league_rounds" ADD CONSTRAINT "league_rounds_league_id_leagues_id_fk" FOREIGN KEY ("league_id") REFERENCES "leagues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "league_pairs" ADD CONSTRAINT "league_pairs_league_id_leagues_id_fk" FOREIGN KEY ("league_id") REFERENCES "leagues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "league_rounds_tell" ON "league_rounds" USING btree ("league_id","number") WHERE "league_rounds"."tell_from" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "league_pairs_home_unique" ON "league_pairs" USING btree ("league_id","round","home");--> statement-breakpoint
CREATE UNIQUE INDEX "league_pairs_away_unique" ON "league_pairs" USING btree ("league_id","round","away");--> statement-breakpoint
CREATE INDEX "leagues_due" ON "leagues" USING btree ("due_at");