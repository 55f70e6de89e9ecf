CREATE TABLE "accounts" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"unit" text NOT NULL,
	"window" text,
	"public" boolean NOT NULL,
	"tiers" text NOT NULL,
	"translations" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "account_entries" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"account_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"delta" bigint NOT NULL,
	"balance_after" bigint NOT NULL,
	"reason" text COLLATE "C" NOT NULL,
	"ref" text COLLATE "C" NOT NULL,
	"counted_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "account_entries_delta_not_zero" CHECK ("account_entries"."delta" <> 0),
	CONSTRAINT "account_entries_balance_not_negative" CHECK ("account_entries"."balance_after" >= 0)
);
--> statement-breakpoint
CREATE TABLE "fan_accounts" (
	"user_id" text COLLATE "C" NOT NULL,
	"account_id" text COLLATE "C" NOT NULL,
	"balance" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"minus_total" bigint NOT NULL,
	"reached_at" timestamp (3) with time zone NOT NULL,
	"window_from" timestamp (3) with time zone,
	"tier_id" text COLLATE "C",
	"tier_since" timestamp (3) with time zone,
	"tier_until" timestamp (3) with time zone,
	"basis" text COLLATE "C" NOT NULL,
	"risk_told_for" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "fan_accounts_pk" PRIMARY KEY("user_id","account_id"),
	CONSTRAINT "fan_accounts_balance" CHECK ("fan_accounts"."balance" >= 0 and "fan_accounts"."balance" <= 9007199254740991)
);
--> statement-breakpoint
ALTER TABLE "points_grants" ADD COLUMN "account_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "account_entries" ADD CONSTRAINT "account_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_entries" ADD CONSTRAINT "account_entries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fan_accounts" ADD CONSTRAINT "fan_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fan_accounts" ADD CONSTRAINT "fan_accounts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "account_entries_user_account_seq_unique" ON "account_entries" USING btree ("user_id","account_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "account_entries_user_reason_ref_unique" ON "account_entries" USING btree ("user_id","reason","ref");--> statement-breakpoint
CREATE INDEX "account_entries_window" ON "account_entries" USING btree ("user_id","account_id","counted_at","delta");--> statement-breakpoint
CREATE INDEX "fan_accounts_order" ON "fan_accounts" USING btree ("account_id","minus_total","reached_at","user_id");--> statement-breakpoint
CREATE INDEX "fan_accounts_basis" ON "fan_accounts" USING btree ("account_id","basis","user_id");--> statement-breakpoint
CREATE INDEX "fan_accounts_changed" ON "fan_accounts" USING btree ("account_id","updated_at");--> statement-breakpoint
CREATE INDEX "fan_accounts_until" ON "fan_accounts" USING btree ("tier_until");