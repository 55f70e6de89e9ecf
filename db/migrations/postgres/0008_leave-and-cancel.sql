ALTER TABLE "pack_purchases" DROP CONSTRAINT "pack_purchases_status";--> statement-breakpoint
ALTER TABLE "leaderboard_entries" ADD COLUMN "left_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD CONSTRAINT "pack_purchases_status" CHECK ("pack_purchases"."status" in ('pending', 'completed', 'cancelled', 'refund_due', 'refunded'));