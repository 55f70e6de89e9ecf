CREATE TABLE "appeals" (
	"sanction_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"fan_id" text COLLATE "C" NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"granted" boolean,
	"decided_by" text,
	CONSTRAINT "appeals_decided" CHECK (("appeals"."decided_at" is null) = ("appeals"."granted" is null) and ("appeals"."decided_at" is null) = ("appeals"."decided_by" is null))
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "silenced_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "appeals" ADD CONSTRAINT "appeals_sanction_id_moderation_decisions_id_fk" FOREIGN KEY ("sanction_id") REFERENCES "moderation_decisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appeals" ADD CONSTRAINT "appeals_fan_id_users_id_fk" FOREIGN KEY ("fan_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "appeals_id_unique" ON "appeals" USING btree ("id");--> statement-breakpoint
CREATE INDEX "appeals_fan" ON "appeals" USING btree ("fan_id");--> statement-breakpoint
CREATE INDEX "appeals_open" ON "appeals" USING btree ("created_at","id") WHERE "appeals"."decided_at" is null;