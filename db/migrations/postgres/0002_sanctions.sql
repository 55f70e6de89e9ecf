CREATE TABLE "moderation_decisions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"fan_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"kind" text NOT NULL,
	"reason" text NOT NULL,
	"until" timestamp (3) with time zone,
	"lifts_id" text COLLATE "C",
	"decided_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "moderation_decisions_kind" CHECK ("moderation_decisions"."kind" in ('dismiss', 'hide', 'mute', 'suspend', 'lift', 'note')),
	CONSTRAINT "moderation_decisions_until" CHECK (("moderation_decisions"."until" is not null) = ("moderation_decisions"."kind" = 'suspend')),
	CONSTRAINT "moderation_decisions_lift" CHECK (("moderation_decisions"."lifts_id" is not null) = ("moderation_decisions"."kind" = 'lift'))
);
--> statement-breakpoint
CREATE TABLE "moderation_notes" (
	"decision_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"fan_id" text COLLATE "C" NOT NULL,
	"note" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "suspended_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "moderation_decisions" ADD CONSTRAINT "moderation_decisions_fan_id_users_id_fk" FOREIGN KEY ("fan_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "moderation_notes" ADD CONSTRAINT "moderation_notes_decision_id_moderation_decisions_id_fk" FOREIGN KEY ("decision_id") REFERENCES "moderation_decisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "moderation_notes" ADD CONSTRAINT "moderation_notes_fan_id_users_id_fk" FOREIGN KEY ("fan_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "moderation_decisions_fan_seq" ON "moderation_decisions" USING btree ("fan_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "moderation_decisions_lifts" ON "moderation_decisions" USING btree ("lifts_id") WHERE "moderation_decisions"."lifts_id" is not null;--> statement-breakpoint
CREATE INDEX "moderation_notes_fan" ON "moderation_notes" USING btree ("fan_id");