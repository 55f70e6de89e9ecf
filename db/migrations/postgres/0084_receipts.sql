CREATE TABLE "receipt_series" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "receipt_series_id" CHECK ("receipt_series"."id" in ('money', 'points')),
	CONSTRAINT "receipt_series_last_positive" CHECK ("receipt_series"."last" > 0)
);
--> statement-breakpoint
CREATE TABLE "receipts" (
	"series" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"purchase_kind" text COLLATE "C" NOT NULL,
	"purchase_id" text COLLATE "C" NOT NULL,
	"ref" text COLLATE "C" NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	"country" text COLLATE "C",
	"net" bigint NOT NULL,
	"tax" bigint NOT NULL,
	"gross" bigint NOT NULL,
	"lines" text NOT NULL,
	"seller" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "receipts_pk" PRIMARY KEY("series","number"),
	CONSTRAINT "receipts_kind" CHECK ("receipts"."kind" in ('receipt', 'credit_note')),
	CONSTRAINT "receipts_series" CHECK (("receipts"."series" = 'points') = ("receipts"."currency" = 'POINTS')),
	CONSTRAINT "receipts_sums" CHECK ("receipts"."number" > 0 and "receipts"."net" >= 0 and "receipts"."tax" >= 0 and "receipts"."net" + "receipts"."tax" = "receipts"."gross"),
	CONSTRAINT "receipts_points_without_tax" CHECK ("receipts"."series" <> 'points' or "receipts"."tax" = 0)
);
--> statement-breakpoint
ALTER TABLE "packs" ADD COLUMN "tax_rate" text;--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD COLUMN "tax_country" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD COLUMN "tax_millionths" bigint;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "lowest_price_amount" bigint;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "tax_rate" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "tax_country" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "tax_millionths" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "receipts_ref_unique" ON "receipts" USING btree ("kind","ref");--> statement-breakpoint
CREATE INDEX "receipts_purchase" ON "receipts" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "receipts_created" ON "receipts" USING btree ("created_at");