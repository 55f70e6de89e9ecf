ALTER TABLE "console_sessions" ADD COLUMN "provider_session" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "check_ins_match" ON "check_ins" USING btree ("match_id");--> statement-breakpoint
CREATE INDEX "console_sessions_provider" ON "console_sessions" USING btree ("provider_session") WHERE "console_sessions"."provider_session" is not null;