CREATE TABLE "item_transfers" (
	"collectible_id" text COLLATE "C" NOT NULL,
	"serial_number" bigint NOT NULL,
	"sequence" bigint NOT NULL,
	"owner_id" text COLLATE "C" NOT NULL,
	"ref" text COLLATE "C" NOT NULL,
	"salt" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "item_transfers_pk" PRIMARY KEY("collectible_id","serial_number","sequence"),
	CONSTRAINT "item_transfers_sequence" CHECK ("item_transfers"."sequence" >= 2)
);
--> statement-breakpoint
ALTER TABLE "user_items" ADD COLUMN "owner_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "user_items" ADD COLUMN "changed_hands_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "item_transfers" ADD CONSTRAINT "item_transfers_collectible_id_collectibles_id_fk" FOREIGN KEY ("collectible_id") REFERENCES "collectibles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "item_transfers" ADD CONSTRAINT "item_transfers_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "item_transfers_owner" ON "item_transfers" USING btree ("owner_id");--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_items_owner" ON "user_items" USING btree ("owner_id","collectible_id","serial_number") WHERE "user_items"."owner_id" is not null;