CREATE TABLE "identities" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text,
	"email_verified" boolean,
	"name" text,
	"picture" text,
	"updated_at" timestamp (3) with time zone,
	"synced_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "leaderboard_entries" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"enrolled_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "onboardings" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"completed_at" timestamp (3) with time zone NOT NULL
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
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leaderboard_entries" ADD CONSTRAINT "leaderboard_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "onboardings" ADD CONSTRAINT "onboardings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "points_accounts" ADD CONSTRAINT "points_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "points_entries" ADD CONSTRAINT "points_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_rewards" ADD CONSTRAINT "user_rewards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_rewards" ADD CONSTRAINT "user_rewards_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_favorite_team_id_teams_id_fk" FOREIGN KEY ("favorite_team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "points_entries_user_seq_unique" ON "points_entries" USING btree ("user_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "points_entries_user_reason_ref_unique" ON "points_entries" USING btree ("user_id","reason","ref");--> statement-breakpoint
CREATE INDEX "rewards_active_order" ON "rewards" USING btree ("active","points_required","id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_rewards_redemption_code_unique" ON "user_rewards" USING btree ("redemption_code");--> statement-breakpoint
CREATE UNIQUE INDEX "users_provider_subject_unique" ON "users" USING btree ("provider","subject");--> statement-breakpoint
CREATE UNIQUE INDEX "users_handle_unique" ON "users" USING btree ("handle");