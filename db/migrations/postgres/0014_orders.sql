CREATE TABLE "orders" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"price_amount" bigint NOT NULL,
	"price_currency" text COLLATE "C" NOT NULL,
	"discount_amount" bigint NOT NULL,
	"voucher_code" text COLLATE "C",
	"address" text,
	"address_kept_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"refunded_at" timestamp (3) with time zone,
	"expiry_noted_at" timestamp (3) with time zone,
	"payment_reference" text COLLATE "C",
	CONSTRAINT "orders_price" CHECK ("orders"."price_amount" >= 0 and "orders"."discount_amount" >= 0),
	CONSTRAINT "orders_status" CHECK ("orders"."status" in ('pending', 'completed', 'cancelled', 'refund_due', 'refunded')),
	CONSTRAINT "orders_completed" CHECK ("orders"."status" <> 'completed' or "orders"."completed_at" is not null),
	CONSTRAINT "orders_refunded" CHECK (("orders"."status" = 'refunded') = ("orders"."refunded_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "order_lines" (
	"order_id" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"product_id" text COLLATE "C" NOT NULL,
	"variant_id" text COLLATE "C" NOT NULL,
	"quantity" bigint NOT NULL,
	"price_amount" bigint NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"delivers" text,
	"state" text COLLATE "C" NOT NULL,
	"hold_until" timestamp (3) with time zone,
	"is_sold" boolean NOT NULL,
	"carrier" text,
	"tracking" text,
	CONSTRAINT "order_lines_pk" PRIMARY KEY("order_id","number"),
	CONSTRAINT "order_lines_quantity" CHECK ("order_lines"."quantity" >= 1 and "order_lines"."price_amount" >= 0),
	CONSTRAINT "order_lines_state" CHECK ("order_lines"."state" in ('none', 'ready', 'shipped', 'delivered', 'returned')),
	CONSTRAINT "order_lines_hold" CHECK ("order_lines"."hold_until" is null or not "order_lines"."is_sold"),
	CONSTRAINT "order_lines_shipped" CHECK ("order_lines"."state" <> 'shipped' or "order_lines"."carrier" is not null)
);
--> statement-breakpoint
CREATE TABLE "order_units" (
	"order_id" text COLLATE "C" NOT NULL,
	"line" bigint NOT NULL,
	"unit" bigint NOT NULL,
	"pack_purchase_id" text COLLATE "C",
	"code" text COLLATE "C",
	"used_at" timestamp (3) with time zone,
	"used_by" text,
	"voided_at" timestamp (3) with time zone,
	CONSTRAINT "order_units_pk" PRIMARY KEY("order_id","line","unit"),
	CONSTRAINT "order_units_pack_or_voucher" CHECK (("order_units"."pack_purchase_id" is null) = ("order_units"."code" is not null)),
	CONSTRAINT "order_units_used" CHECK (("order_units"."used_at" is null) = ("order_units"."used_by" is null)),
	CONSTRAINT "order_units_used_or_void" CHECK ("order_units"."used_at" is null or "order_units"."voided_at" is null)
);
--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "delivers" text;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_lines" ADD CONSTRAINT "order_lines_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_lines" ADD CONSTRAINT "order_lines_variant_fk" FOREIGN KEY ("product_id","variant_id") REFERENCES "product_variants"("product_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_units" ADD CONSTRAINT "order_units_line_fk" FOREIGN KEY ("order_id","line") REFERENCES "order_lines"("order_id","number") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "orders_user" ON "orders" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "orders_status" ON "orders" USING btree ("status","expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_payment_unique" ON "orders" USING btree ("payment_reference") WHERE "orders"."payment_reference" is not null;--> statement-breakpoint
CREATE INDEX "orders_voucher" ON "orders" USING btree ("voucher_code") WHERE "orders"."voucher_code" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "order_lines_variant_unique" ON "order_lines" USING btree ("order_id","product_id","variant_id");--> statement-breakpoint
CREATE INDEX "order_lines_variant" ON "order_lines" USING btree ("product_id","variant_id","hold_until");--> statement-breakpoint
CREATE INDEX "order_lines_hold" ON "order_lines" USING btree ("hold_until") WHERE "order_lines"."hold_until" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "order_units_code_unique" ON "order_units" USING btree ("code") WHERE "order_units"."code" is not null;