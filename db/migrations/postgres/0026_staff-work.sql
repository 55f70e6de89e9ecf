ALTER TABLE "moderation_decisions" ADD COLUMN "decided_by_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "appeals" ADD COLUMN "decided_by_id" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "orders_listed" ON "orders" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "order_lines_to_ship" ON "order_lines" USING btree ("state","order_id") WHERE "order_lines"."kind" = 'physical' and "order_lines"."is_sold";