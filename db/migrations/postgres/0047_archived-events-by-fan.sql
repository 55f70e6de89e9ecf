ALTER TABLE "verification_coverage" ADD COLUMN "past_changed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "archived_events_user" ON "archived_events" USING btree ("user_id");