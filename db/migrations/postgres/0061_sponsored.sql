ALTER TABLE "matches" ADD COLUMN "sponsor_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "sponsor_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "packs" ADD COLUMN "sponsor_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "sponsor_id" text COLLATE "C";