CREATE TABLE "order_refunds" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"order_id" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"lines" text NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "order_refunds_amount_positive" CHECK ("order_refunds"."amount" > 0 and "order_refunds"."number" > 0),
	CONSTRAINT "order_refunds_state" CHECK ("order_refunds"."state" in ('due', 'refunded', 'void')),
	CONSTRAINT "order_refunds_settled" CHECK (("order_refunds"."state" = 'due') = ("order_refunds"."settled_at" is null))
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "refunded_amount" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "waiver" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "delivered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "downloaded_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "withdrawn_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "refunded_units" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "order_refunds" ADD CONSTRAINT "order_refunds_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "order_refunds_number_unique" ON "order_refunds" USING btree ("order_id","number");--> statement-breakpoint
CREATE INDEX "order_refunds_due" ON "order_refunds" USING btree ("created_at") WHERE "order_refunds"."state" = 'due';