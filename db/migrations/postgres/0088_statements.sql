CREATE TABLE "moderation_statements" (
	"decision_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"fan_id" text COLLATE "C" NOT NULL,
	"facts" text,
	"automated" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "moderation_statements" ADD CONSTRAINT "moderation_statements_decision_id_moderation_decisions_id_fk" FOREIGN KEY ("decision_id") REFERENCES "moderation_decisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "moderation_statements" ADD CONSTRAINT "moderation_statements_fan_id_users_id_fk" FOREIGN KEY ("fan_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "moderation_statements_fan" ON "moderation_statements" USING btree ("fan_id");