CREATE TABLE "referral_codes" (
	"code" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "referrals" (
	"invitee_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"inviter_id" text COLLATE "C" NOT NULL,
	"invited_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"source" text COLLATE "C",
	"event_id" text COLLATE "C",
	"voided_at" timestamp (3) with time zone,
	CONSTRAINT "referrals_of_two_fans" CHECK ("referrals"."invitee_id" <> "referrals"."inviter_id"),
	CONSTRAINT "referrals_completed_by_event" CHECK (("referrals"."completed_at" is null) = ("referrals"."event_id" is null))
);
--> statement-breakpoint
ALTER TABLE "referral_codes" ADD CONSTRAINT "referral_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referrals" ADD CONSTRAINT "referrals_invitee_id_users_id_fk" FOREIGN KEY ("invitee_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referrals" ADD CONSTRAINT "referrals_inviter_id_users_id_fk" FOREIGN KEY ("inviter_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "referral_codes_fan" ON "referral_codes" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "referrals_inviter" ON "referrals" USING btree ("inviter_id","completed_at");