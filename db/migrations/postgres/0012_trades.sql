CREATE TABLE "trades" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"from_id" text COLLATE "C" NOT NULL,
	"to_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "trades_two_fans" CHECK ("trades"."from_id" <> "trades"."to_id"),
	CONSTRAINT "trades_status" CHECK ("trades"."status" in ('open', 'completed', 'declined', 'cancelled', 'void')),
	CONSTRAINT "trades_ended" CHECK (("trades"."status" = 'open') = ("trades"."ended_at" is null))
);
--> statement-breakpoint
CREATE TABLE "trade_items" (
	"trade_id" text COLLATE "C" NOT NULL,
	"collectible_id" text COLLATE "C" NOT NULL,
	"serial_number" bigint NOT NULL,
	"side" text COLLATE "C" NOT NULL,
	CONSTRAINT "trade_items_pk" PRIMARY KEY("trade_id","collectible_id","serial_number"),
	CONSTRAINT "trade_items_side" CHECK ("trade_items"."side" in ('give', 'want'))
);
--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_from_id_users_id_fk" FOREIGN KEY ("from_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_to_id_users_id_fk" FOREIGN KEY ("to_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trade_items" ADD CONSTRAINT "trade_items_trade_id_trades_id_fk" FOREIGN KEY ("trade_id") REFERENCES "trades"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trade_items" ADD CONSTRAINT "trade_items_item_fk" FOREIGN KEY ("collectible_id","serial_number") REFERENCES "user_items"("collectible_id","serial_number") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trades_from" ON "trades" USING btree ("from_id","id");--> statement-breakpoint
CREATE INDEX "trades_to" ON "trades" USING btree ("to_id","id");--> statement-breakpoint
CREATE INDEX "trades_open" ON "trades" USING btree ("from_id","expires_at") WHERE "trades"."status" = 'open';