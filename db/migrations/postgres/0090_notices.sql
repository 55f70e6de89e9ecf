CREATE TABLE "content_notices" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"content" text NOT NULL,
	"place" bigint NOT NULL,
	"repeats" bigint NOT NULL,
	"category" text NOT NULL,
	"subject_kind" text COLLATE "C",
	"fan_id" text COLLATE "C",
	"reference" text,
	"location" text,
	"explanation" text,
	"evidence" text,
	"name" text,
	"email" text,
	"language" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"action_taken" boolean,
	"answer" text,
	"decided_by" text,
	"decided_by_id" text COLLATE "C",
	"decision_id" text COLLATE "C",
	"cleared_at" timestamp (3) with time zone,
	CONSTRAINT "content_notices_place" CHECK ("content_notices"."place" between 1 and 20),
	CONSTRAINT "content_notices_decided" CHECK (("content_notices"."decided_at" is null) = ("content_notices"."action_taken" is null)),
	CONSTRAINT "content_notices_cleared" CHECK ("content_notices"."cleared_at" is null or "content_notices"."decided_at" is not null),
	CONSTRAINT "content_notices_sanction" CHECK ("content_notices"."decision_id" is null or "content_notices"."action_taken")
);
--> statement-breakpoint
ALTER TABLE "content_notices" ADD CONSTRAINT "content_notices_fan_id_users_id_fk" FOREIGN KEY ("fan_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_notices" ADD CONSTRAINT "content_notices_decision_id_moderation_decisions_id_fk" FOREIGN KEY ("decision_id") REFERENCES "moderation_decisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "content_notices_open_unique" ON "content_notices" USING btree ("content","place") WHERE "content_notices"."decided_at" is null;--> statement-breakpoint
CREATE INDEX "content_notices_open" ON "content_notices" USING btree ("created_at","id") WHERE "content_notices"."decided_at" is null;--> statement-breakpoint
CREATE INDEX "content_notices_decided" ON "content_notices" USING btree ("decided_at","id");--> statement-breakpoint
CREATE INDEX "content_notices_to_clear" ON "content_notices" USING btree ("decided_at") WHERE "content_notices"."cleared_at" is null and "content_notices"."decided_at" is not null;--> statement-breakpoint
CREATE INDEX "content_notices_fan" ON "content_notices" USING btree ("fan_id");--> statement-breakpoint
CREATE INDEX "content_notices_decision" ON "content_notices" USING btree ("decision_id");