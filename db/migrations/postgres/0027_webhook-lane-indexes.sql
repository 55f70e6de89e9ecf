DROP INDEX "webhook_lanes_due";--> statement-breakpoint
DROP INDEX "webhook_lanes_leased";--> statement-breakpoint
CREATE INDEX "webhook_lanes_unleased" ON "webhook_lanes" USING btree ("endpoint_id","next_attempt_at") WHERE "webhook_lanes"."lease_ends_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_lanes_leases" ON "webhook_lanes" USING btree ("endpoint_id","lease_ends_at") WHERE "webhook_lanes"."lease_ends_at" is not null;