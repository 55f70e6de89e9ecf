CREATE TABLE "payments" (
	"reference" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"purchase_id" text COLLATE "C" NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"refunded_at" timestamp (3) with time zone,
	CONSTRAINT "payments_amount_positive" CHECK ("payments"."amount" > 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX "payments_purchase_unique" ON "payments" USING btree ("purchase_id");