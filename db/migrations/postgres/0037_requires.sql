ALTER TABLE "rewards" ADD COLUMN "requires" text;--> statement-breakpoint
ALTER TABLE "packs" ADD COLUMN "requires" text;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "requires" text;