CREATE TABLE "prediction_splits" (
	"match_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kickoff_at" timestamp (3) with time zone NOT NULL,
	"frozen_at" timestamp (3) with time zone NOT NULL,
	"home" bigint NOT NULL,
	"draw" bigint NOT NULL,
	"away" bigint NOT NULL,
	CONSTRAINT "prediction_splits_not_negative" CHECK ("prediction_splits"."home" >= 0 and "prediction_splits"."draw" >= 0 and "prediction_splits"."away" >= 0)
);
--> statement-breakpoint
ALTER TABLE "competitions" ADD COLUMN "joker" bigint;--> statement-breakpoint
ALTER TABLE "competitions" ADD COLUMN "crowd" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "predictions" ADD COLUMN "competition" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "predictions" ADD COLUMN "joker_season" text;--> statement-breakpoint
ALTER TABLE "predictions" ADD COLUMN "joker_round" text;--> statement-breakpoint
ALTER TABLE "prediction_splits" ADD CONSTRAINT "prediction_splits_match_id_matches_id_fk" FOREIGN KEY ("match_id") REFERENCES "matches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "predictions_joker" ON "predictions" USING btree ("user_id","competition","joker_season","joker_round") WHERE "predictions"."joker_round" is not null;