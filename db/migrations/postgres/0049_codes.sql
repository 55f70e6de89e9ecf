CREATE TABLE "campaigns" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"translations" text,
	"kind" text NOT NULL,
	"code" text,
	"code_hash" text COLLATE "C",
	"gives" text NOT NULL,
	"requires" text,
	"per_fan" bigint NOT NULL,
	"total" bigint,
	"redeemed" bigint NOT NULL,
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "campaigns_kind_known" CHECK ("campaigns"."kind" in ('shared', 'unique')),
	CONSTRAINT "campaigns_code_if_shared" CHECK (("campaigns"."kind" = 'shared') = ("campaigns"."code_hash" is not null)),
	CONSTRAINT "campaigns_per_fan_positive" CHECK ("campaigns"."per_fan" >= 1),
	CONSTRAINT "campaigns_redeemed_not_negative" CHECK ("campaigns"."redeemed" >= 0)
);
--> statement-breakpoint
CREATE TABLE "campaign_codes" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"campaign_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"redeemed_at" timestamp (3) with time zone,
	"voided_at" timestamp (3) with time zone,
	CONSTRAINT "campaign_codes_used_or_voided" CHECK ("campaign_codes"."redeemed_at" is null or "campaign_codes"."voided_at" is null)
);
--> statement-breakpoint
CREATE TABLE "code_redemptions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"campaign_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"code_hash" text COLLATE "C" NOT NULL,
	"is_unique" boolean NOT NULL,
	"gave" text NOT NULL,
	"redeemed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "campaign_codes" ADD CONSTRAINT "campaign_codes_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_redemptions" ADD CONSTRAINT "code_redemptions_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_redemptions" ADD CONSTRAINT "code_redemptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "campaigns_code_unique" ON "campaigns" USING btree ("code_hash") WHERE "campaigns"."code_hash" is not null;--> statement-breakpoint
CREATE INDEX "campaign_codes_campaign" ON "campaign_codes" USING btree ("campaign_id","hash");--> statement-breakpoint
CREATE UNIQUE INDEX "code_redemptions_code_unique" ON "code_redemptions" USING btree ("code_hash") WHERE "code_redemptions"."is_unique";--> statement-breakpoint
CREATE INDEX "code_redemptions_fan" ON "code_redemptions" USING btree ("user_id","campaign_id");--> statement-breakpoint
CREATE INDEX "code_redemptions_campaign" ON "code_redemptions" USING btree ("campaign_id","redeemed_at");