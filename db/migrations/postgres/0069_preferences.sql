CREATE TABLE "notification_preferences" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_push" boolean NOT NULL,
	"orders_push" boolean NOT NULL,
	"rewards_push" boolean NOT NULL,
	"rewards_inbox" boolean NOT NULL,
	"match_push" boolean NOT NULL,
	"match_inbox" boolean NOT NULL,
	"social_push" boolean NOT NULL,
	"social_inbox" boolean NOT NULL,
	"marketing_push" boolean NOT NULL,
	"marketing_inbox" boolean NOT NULL,
	"quiet_from" bigint,
	"quiet_to" bigint,
	"time_zone" text,
	CONSTRAINT "notification_preferences_quiet" CHECK (("notification_preferences"."quiet_from" is null) = ("notification_preferences"."quiet_to" is null) and ("notification_preferences"."quiet_from" is null or "notification_preferences"."quiet_from" <> "notification_preferences"."quiet_to")),
	CONSTRAINT "notification_preferences_minutes" CHECK ("notification_preferences"."quiet_from" is null or ("notification_preferences"."quiet_from" between 0 and 1439 and "notification_preferences"."quiet_to" between 0 and 1439))
);
--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;