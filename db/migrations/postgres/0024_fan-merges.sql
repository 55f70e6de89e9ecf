CREATE TABLE "fan_merges" (
	"from_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"into_id" text COLLATE "C" NOT NULL,
	"merged_by" text NOT NULL,
	"reason" text,
	"merged_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "merged_into_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "quest_progress" ADD COLUMN "carried_from" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "fan_merges" ADD CONSTRAINT "fan_merges_from_id_users_id_fk" FOREIGN KEY ("from_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fan_merges" ADD CONSTRAINT "fan_merges_into_id_users_id_fk" FOREIGN KEY ("into_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "fan_merges_into" ON "fan_merges" USING btree ("into_id");--> statement-breakpoint
CREATE INDEX "users_merged" ON "users" USING btree ("merged_into_id") WHERE "users"."merged_into_id" is not null;