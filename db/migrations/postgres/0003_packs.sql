CREATE TABLE "collectibles" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"image_url" text,
	"rarity" text COLLATE "C" NOT NULL,
	"minted" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "collectibles_minted_not_negative" CHECK ("collectibles"."minted" >= 0)
);
--> statement-breakpoint
CREATE TABLE "pack_items" (
	"pack_id" text COLLATE "C" NOT NULL,
	"collectible_id" text COLLATE "C" NOT NULL,
	"weight" bigint NOT NULL,
	CONSTRAINT "pack_items_pk" PRIMARY KEY("pack_id","collectible_id"),
	CONSTRAINT "pack_items_weight_positive" CHECK ("pack_items"."weight" >= 1)
);
--> statement-breakpoint
CREATE TABLE "pack_purchases" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"pack_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"price_amount" bigint NOT NULL,
	"price_currency" text COLLATE "C" NOT NULL,
	"server_seed" text NOT NULL,
	"seed_hash" text NOT NULL,
	"terms" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"refunded_at" timestamp (3) with time zone,
	"payment_reference" text COLLATE "C",
	CONSTRAINT "pack_purchases_status" CHECK ("pack_purchases"."status" in ('pending', 'completed', 'refund_due', 'refunded')),
	CONSTRAINT "pack_purchases_completed" CHECK ("pack_purchases"."status" <> 'completed' or "pack_purchases"."completed_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "packs" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"image_url" text,
	"price_amount" bigint NOT NULL,
	"price_currency" text COLLATE "C" NOT NULL,
	"items_per_pack" bigint NOT NULL,
	"active" boolean NOT NULL,
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"supply_total" bigint,
	"supply_sold" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "packs_price_not_negative" CHECK ("packs"."price_amount" >= 0),
	CONSTRAINT "packs_items" CHECK ("packs"."items_per_pack" between 1 and 100),
	CONSTRAINT "packs_supply" CHECK ("packs"."supply_sold" >= 0 and ("packs"."supply_total" is null or "packs"."supply_sold" <= "packs"."supply_total"))
);
--> statement-breakpoint
CREATE TABLE "user_items" (
	"user_pack_id" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"collectible_id" text COLLATE "C" NOT NULL,
	"serial_number" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "user_items_pk" PRIMARY KEY("user_pack_id","position")
);
--> statement-breakpoint
CREATE TABLE "user_packs" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"purchase_id" text COLLATE "C" NOT NULL,
	"pack_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone,
	"client_seed" text,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "user_packs_opened_or_revoked" CHECK ("user_packs"."opened_at" is null or "user_packs"."revoked_at" is null),
	CONSTRAINT "user_packs_client_seed" CHECK (("user_packs"."opened_at" is null) = ("user_packs"."client_seed" is null))
);
--> statement-breakpoint
ALTER TABLE "pack_items" ADD CONSTRAINT "pack_items_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_items" ADD CONSTRAINT "pack_items_collectible_id_collectibles_id_fk" FOREIGN KEY ("collectible_id") REFERENCES "public"."collectibles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD CONSTRAINT "pack_purchases_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD CONSTRAINT "pack_purchases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_user_pack_id_user_packs_id_fk" FOREIGN KEY ("user_pack_id") REFERENCES "public"."user_packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_collectible_id_collectibles_id_fk" FOREIGN KEY ("collectible_id") REFERENCES "public"."collectibles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_packs" ADD CONSTRAINT "user_packs_purchase_id_pack_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."pack_purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_packs" ADD CONSTRAINT "user_packs_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_packs" ADD CONSTRAINT "user_packs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pack_purchases_holds" ON "pack_purchases" USING btree ("pack_id","status","expires_at");--> statement-breakpoint
CREATE INDEX "pack_purchases_user" ON "pack_purchases" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "pack_purchases_payment_unique" ON "pack_purchases" USING btree ("payment_reference");--> statement-breakpoint
CREATE UNIQUE INDEX "user_items_collectible_serial_unique" ON "user_items" USING btree ("collectible_id","serial_number");--> statement-breakpoint
CREATE INDEX "user_items_collection" ON "user_items" USING btree ("user_id","collectible_id","serial_number");--> statement-breakpoint
CREATE UNIQUE INDEX "user_packs_purchase_unique" ON "user_packs" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "user_packs_user" ON "user_packs" USING btree ("user_id","id");