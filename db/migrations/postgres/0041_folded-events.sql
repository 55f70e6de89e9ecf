ALTER TABLE "catalogue_versions" ADD COLUMN "folds_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "entry_count" bigint;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "first_entry_seq" bigint;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "lifetime_after" bigint;--> statement-breakpoint
UPDATE "catalogue_versions" SET "folds_from" = now() + interval '1 day' WHERE "kind" = 'events';
