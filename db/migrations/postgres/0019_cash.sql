CREATE TABLE "cash_accounts" (
	"user_id" text COLLATE "C" NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	"balance" bigint NOT NULL,
	"held" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "cash_accounts_pk" PRIMARY KEY("user_id","currency"),
	CONSTRAINT "cash_accounts_available_not_negative" CHECK ("cash_accounts"."held" >= 0 and "cash_accounts"."balance" >= "cash_accounts"."held"),
	CONSTRAINT "cash_accounts_balance_exact" CHECK ("cash_accounts"."balance" <= 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "cash_entries" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"delta" bigint NOT NULL,
	"balance_after" bigint NOT NULL,
	"reason" text COLLATE "C" NOT NULL,
	"ref" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "cash_entries_delta_not_zero" CHECK ("cash_entries"."delta" <> 0),
	CONSTRAINT "cash_entries_balance_not_negative" CHECK ("cash_entries"."balance_after" >= 0)
);
--> statement-breakpoint
CREATE TABLE "cash_holds" (
	"purchase_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	"amount" bigint NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "cash_holds_amount_positive" CHECK ("cash_holds"."amount" > 0),
	CONSTRAINT "cash_holds_state" CHECK ("cash_holds"."state" in ('held', 'captured', 'released', 'refunded')),
	CONSTRAINT "cash_holds_settled" CHECK (("cash_holds"."state" = 'held') = ("cash_holds"."settled_at" is null))
);
--> statement-breakpoint
CREATE TABLE "cash_promotions" (
	"ref" text COLLATE "C" PRIMARY KEY NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	"amount" bigint NOT NULL,
	"remaining" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "cash_promotions_remaining" CHECK ("cash_promotions"."amount" > 0 and "cash_promotions"."remaining" >= 0 and "cash_promotions"."remaining" <= "cash_promotions"."amount"),
	CONSTRAINT "cash_promotions_ended" CHECK ("cash_promotions"."ended_at" is null or "cash_promotions"."remaining" = 0)
);
--> statement-breakpoint
CREATE TABLE "cash_hold_promotions" (
	"purchase_id" text COLLATE "C" NOT NULL,
	"ref" text COLLATE "C" NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "cash_hold_promotions_pk" PRIMARY KEY("purchase_id","ref"),
	CONSTRAINT "cash_hold_promotions_amount_positive" CHECK ("cash_hold_promotions"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "top_ups" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"price_amount" bigint NOT NULL,
	"price_currency" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"refunded_at" timestamp (3) with time zone,
	"payment_reference" text COLLATE "C",
	CONSTRAINT "top_ups_amount_positive" CHECK ("top_ups"."price_amount" > 0),
	CONSTRAINT "top_ups_status" CHECK ("top_ups"."status" in ('pending', 'completed', 'refund_due', 'refunded')),
	CONSTRAINT "top_ups_completed" CHECK ("top_ups"."status" <> 'completed' or ("top_ups"."completed_at" is not null and "top_ups"."payment_reference" is not null)),
	CONSTRAINT "top_ups_refunded" CHECK (("top_ups"."status" = 'refunded') = ("top_ups"."refunded_at" is not null))
);
--> statement-breakpoint
ALTER TABLE "cash_accounts" ADD CONSTRAINT "cash_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cash_entries" ADD CONSTRAINT "cash_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cash_holds" ADD CONSTRAINT "cash_holds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cash_promotions" ADD CONSTRAINT "cash_promotions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cash_hold_promotions" ADD CONSTRAINT "cash_hold_promotions_purchase_id_cash_holds_purchase_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "cash_holds"("purchase_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cash_hold_promotions" ADD CONSTRAINT "cash_hold_promotions_ref_cash_promotions_ref_fk" FOREIGN KEY ("ref") REFERENCES "cash_promotions"("ref") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "top_ups" ADD CONSTRAINT "top_ups_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "cash_entries_user_currency_seq_unique" ON "cash_entries" USING btree ("user_id","currency","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "cash_entries_user_reason_ref_unique" ON "cash_entries" USING btree ("user_id","reason","ref");--> statement-breakpoint
CREATE INDEX "cash_holds_account" ON "cash_holds" USING btree ("user_id","currency","state");--> statement-breakpoint
CREATE INDEX "cash_holds_expiry" ON "cash_holds" USING btree ("state","expires_at");--> statement-breakpoint
CREATE INDEX "cash_promotions_account" ON "cash_promotions" USING btree ("user_id","currency");--> statement-breakpoint
CREATE INDEX "cash_promotions_expiry" ON "cash_promotions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "cash_hold_promotions_ref" ON "cash_hold_promotions" USING btree ("ref");--> statement-breakpoint
CREATE INDEX "top_ups_user" ON "top_ups" USING btree ("user_id","id");