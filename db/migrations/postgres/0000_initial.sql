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
CREATE TABLE "deferred_syncs" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"sealed_token" text NOT NULL,
	"token_expires_at" timestamp (3) with time zone NOT NULL,
	"attempts" bigint NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text,
	"email_verified" boolean,
	"name" text,
	"picture" text,
	"updated_at" timestamp (3) with time zone,
	"stated_at" timestamp (3) with time zone,
	"synced_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "leaderboard_entries" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"enrolled_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "native_sessions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"provider" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"device_name" text,
	"origin_issued_at" timestamp (3) with time zone NOT NULL,
	"sealed_token" text,
	"token_expires_at" timestamp (3) with time zone NOT NULL,
	"generation" bigint NOT NULL,
	"rotated_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "onboardings" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"completed_at" timestamp (3) with time zone NOT NULL
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
CREATE TABLE "points_accounts" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"balance" bigint NOT NULL,
	"lifetime" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "points_accounts_balance_not_negative" CHECK ("points_accounts"."balance" >= 0),
	CONSTRAINT "points_accounts_balance_exact" CHECK ("points_accounts"."balance" <= 9007199254740991),
	CONSTRAINT "points_accounts_lifetime_exact" CHECK ("points_accounts"."lifetime" between 0 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "points_entries" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"delta" bigint NOT NULL,
	"balance_after" bigint NOT NULL,
	"reason" text COLLATE "C" NOT NULL,
	"ref" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "points_entries_delta_not_zero" CHECK ("points_entries"."delta" <> 0),
	CONSTRAINT "points_entries_balance_not_negative" CHECK ("points_entries"."balance_after" >= 0)
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"session_id" text COLLATE "C" NOT NULL,
	"generation" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "revoked_tokens" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rewards" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"image_url" text,
	"item_type" text NOT NULL,
	"points_required" bigint NOT NULL,
	"active" boolean NOT NULL,
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"stock_remaining" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rewards_points_not_negative" CHECK ("rewards"."points_required" >= 0),
	CONSTRAINT "rewards_stock_not_negative" CHECK ("rewards"."stock_remaining" >= 0)
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"short_name" text NOT NULL,
	"city" text,
	"country" text,
	"primary_color" text,
	"secondary_color" text,
	"crest_url" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
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
CREATE TABLE "user_rewards" (
	"user_id" text COLLATE "C" NOT NULL,
	"reward_id" text COLLATE "C" NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL,
	"redeemed_at" timestamp (3) with time zone,
	"redemption_code" text COLLATE "C",
	CONSTRAINT "user_rewards_pk" PRIMARY KEY("user_id","reward_id"),
	CONSTRAINT "user_rewards_code_with_redemption" CHECK (("user_rewards"."redeemed_at" is null) = ("user_rewards"."redemption_code" is null))
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"provider" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"display_name" text,
	"handle" text COLLATE "C",
	"avatar_url" text,
	"bio" text,
	"country" text,
	"locale" text,
	"favorite_team_id" text COLLATE "C",
	"sessions_ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deferred_syncs" ADD CONSTRAINT "deferred_syncs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leaderboard_entries" ADD CONSTRAINT "leaderboard_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "onboardings" ADD CONSTRAINT "onboardings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_items" ADD CONSTRAINT "pack_items_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_items" ADD CONSTRAINT "pack_items_collectible_id_collectibles_id_fk" FOREIGN KEY ("collectible_id") REFERENCES "public"."collectibles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD CONSTRAINT "pack_purchases_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_purchases" ADD CONSTRAINT "pack_purchases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "points_accounts" ADD CONSTRAINT "points_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "points_entries" ADD CONSTRAINT "points_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_session_id_native_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."native_sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_user_pack_id_user_packs_id_fk" FOREIGN KEY ("user_pack_id") REFERENCES "public"."user_packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_items" ADD CONSTRAINT "user_items_collectible_id_collectibles_id_fk" FOREIGN KEY ("collectible_id") REFERENCES "public"."collectibles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_packs" ADD CONSTRAINT "user_packs_purchase_id_pack_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."pack_purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_packs" ADD CONSTRAINT "user_packs_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_packs" ADD CONSTRAINT "user_packs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_rewards" ADD CONSTRAINT "user_rewards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_rewards" ADD CONSTRAINT "user_rewards_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_favorite_team_id_teams_id_fk" FOREIGN KEY ("favorite_team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deferred_syncs_due" ON "deferred_syncs" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "native_sessions_owner" ON "native_sessions" USING btree ("provider","subject","id");--> statement-breakpoint
CREATE INDEX "native_sessions_expiry" ON "native_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "pack_purchases_holds" ON "pack_purchases" USING btree ("pack_id","status","expires_at");--> statement-breakpoint
CREATE INDEX "pack_purchases_user" ON "pack_purchases" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "pack_purchases_payment_unique" ON "pack_purchases" USING btree ("payment_reference");--> statement-breakpoint
CREATE UNIQUE INDEX "points_entries_user_seq_unique" ON "points_entries" USING btree ("user_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "points_entries_user_reason_ref_unique" ON "points_entries" USING btree ("user_id","reason","ref");--> statement-breakpoint
CREATE INDEX "refresh_tokens_session" ON "refresh_tokens" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_expiry" ON "refresh_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "revoked_tokens_expiry" ON "revoked_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "rewards_active_order" ON "rewards" USING btree ("active","points_required","id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_items_collectible_serial_unique" ON "user_items" USING btree ("collectible_id","serial_number");--> statement-breakpoint
CREATE INDEX "user_items_collection" ON "user_items" USING btree ("user_id","collectible_id","serial_number");--> statement-breakpoint
CREATE UNIQUE INDEX "user_packs_purchase_unique" ON "user_packs" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "user_packs_user" ON "user_packs" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_rewards_redemption_code_unique" ON "user_rewards" USING btree ("redemption_code");--> statement-breakpoint
CREATE UNIQUE INDEX "users_provider_subject_unique" ON "users" USING btree ("provider","subject");--> statement-breakpoint
CREATE UNIQUE INDEX "users_handle_unique" ON "users" USING btree ("handle");