DROP INDEX "devices_match";--> statement-breakpoint
CREATE INDEX "devices_match" ON "devices" USING btree ("match_id","user_id","device_id") WHERE "devices"."match_id" is not null;