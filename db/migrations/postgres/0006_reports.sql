CREATE TABLE "reports" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"reporter_id" text COLLATE "C",
	"subject_kind" text COLLATE "C" NOT NULL,
	"subject_id" text COLLATE "C" NOT NULL,
	"fan_id" text COLLATE "C" NOT NULL,
	"reference" text,
	"reason" text NOT NULL,
	"note" text,
	"evidence" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"resolved_at" timestamp (3) with time zone,
	"action_taken" boolean,
	"decision_id" text COLLATE "C",
	CONSTRAINT "reports_resolved" CHECK (("reports"."resolved_at" is null) = ("reports"."action_taken" is null)),
	CONSTRAINT "reports_decided" CHECK ("reports"."decision_id" is null or "reports"."resolved_at" is not null)
);
--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reporter_id_users_id_fk" FOREIGN KEY ("reporter_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_fan_id_users_id_fk" FOREIGN KEY ("fan_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_decision_id_moderation_decisions_id_fk" FOREIGN KEY ("decision_id") REFERENCES "moderation_decisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "reports_open_unique" ON "reports" USING btree ("reporter_id","subject_kind","subject_id") WHERE "reports"."resolved_at" is null and "reports"."reporter_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "reports_open_automatic_unique" ON "reports" USING btree ("subject_kind","subject_id") WHERE "reports"."resolved_at" is null and "reports"."reporter_id" is null;--> statement-breakpoint
CREATE INDEX "reports_open" ON "reports" USING btree ("subject_kind","subject_id","created_at") WHERE "reports"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "reports_reporter" ON "reports" USING btree ("reporter_id","created_at","id");--> statement-breakpoint
CREATE INDEX "reports_fan" ON "reports" USING btree ("fan_id");--> statement-breakpoint
CREATE INDEX "reports_decision" ON "reports" USING btree ("decision_id");