CREATE TABLE "points_holds" (
	"purchase_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"amount" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "points_holds_amount_positive" CHECK ("points_holds"."amount" > 0)
);
--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD COLUMN "cancelled_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "cancelled_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "points_holds" ADD CONSTRAINT "points_holds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "points_holds_user" ON "points_holds" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "pack_purchases_unpaid" ON "pack_purchases" USING btree ("expires_at") WHERE "pack_purchases"."status" in ('pending', 'cancelled');--> statement-breakpoint
CREATE INDEX "top_ups_unpaid" ON "top_ups" USING btree ("expires_at") WHERE "top_ups"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "trades_unfinished" ON "trades" USING btree ("expires_at") WHERE "trades"."status" <> 'completed';