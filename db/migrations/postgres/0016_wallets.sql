CREATE TABLE "wallets" (
	"address" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"chain_id" bigint NOT NULL,
	"proved_by" text COLLATE "C" NOT NULL,
	"linked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "wallets_proved_by" CHECK ("wallets"."proved_by" in ('key', 'contract'))
);
--> statement-breakpoint
CREATE TABLE "wallet_challenges" (
	"nonce" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"address" text COLLATE "C" NOT NULL,
	"chain_id" bigint NOT NULL,
	"message" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "required_holding" text;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "required_holding" text;--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallet_challenges" ADD CONSTRAINT "wallet_challenges_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "wallets_user" ON "wallets" USING btree ("user_id","linked_at","address");--> statement-breakpoint
CREATE INDEX "wallet_challenges_user" ON "wallet_challenges" USING btree ("user_id","expires_at");--> statement-breakpoint
CREATE INDEX "wallet_challenges_expires_at" ON "wallet_challenges" USING btree ("expires_at");