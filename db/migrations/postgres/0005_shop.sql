CREATE TABLE "products" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"images" text NOT NULL,
	"category" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"translations" text,
	"price_amount" bigint NOT NULL,
	"price_currency" text COLLATE "C" NOT NULL,
	"max_per_fan" bigint,
	"ships_to" text,
	"required_points" bigint,
	"required_collectible_id" text COLLATE "C",
	"active" boolean NOT NULL,
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "products_price_not_negative" CHECK ("products"."price_amount" >= 0),
	CONSTRAINT "products_max_positive" CHECK ("products"."max_per_fan" >= 1),
	CONSTRAINT "products_kind" CHECK ("products"."kind" in ('physical', 'digital', 'voucher', 'pack'))
);
--> statement-breakpoint
CREATE TABLE "product_variants" (
	"product_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"translations" text,
	"sku" text COLLATE "C",
	"position" bigint NOT NULL,
	"stock_total" bigint,
	"stock_sold" bigint NOT NULL,
	"listed" boolean NOT NULL,
	CONSTRAINT "product_variants_pk" PRIMARY KEY("product_id","id"),
	CONSTRAINT "product_variants_stock" CHECK ("product_variants"."stock_sold" >= 0 and ("product_variants"."stock_total" is null or "product_variants"."stock_sold" <= "product_variants"."stock_total"))
);
--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_required_collectible_id_collectibles_id_fk" FOREIGN KEY ("required_collectible_id") REFERENCES "collectibles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "product_variants" ADD CONSTRAINT "product_variants_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "products_category" ON "products" USING btree ("active","category","id");--> statement-breakpoint
CREATE INDEX "products_active" ON "products" USING btree ("active","id");