CREATE TABLE "notifications" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"event_type" text COLLATE "C",
	"at" text,
	"segment" text COLLATE "C",
	"when" text,
	"category" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"url" text,
	"image_url" text,
	"push" boolean NOT NULL,
	"digest" bigint,
	"sponsor_id" text COLLATE "C",
	"translations" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "notifications_trigger" CHECK (("notifications"."event_type" is null) <> ("notifications"."at" is null))
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"notification_id" text COLLATE "C" NOT NULL,
	"cause" text COLLATE "C" NOT NULL,
	"category" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"url" text,
	"image_url" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"hidden_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "match_reminders" (
	"match_id" text COLLATE "C" NOT NULL,
	"moment" text COLLATE "C" NOT NULL,
	"cursor" text COLLATE "C" NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "match_reminders_pk" PRIMARY KEY("match_id","moment")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "match_reminders" ADD CONSTRAINT "match_reminders_match_id_matches_id_fk" FOREIGN KEY ("match_id") REFERENCES "matches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "messages_cause" ON "messages" USING btree ("user_id","notification_id","cause");--> statement-breakpoint
CREATE INDEX "messages_inbox" ON "messages" USING btree ("user_id","created_at","id") WHERE "messages"."hidden_at" is null;--> statement-breakpoint
CREATE INDEX "messages_unread" ON "messages" USING btree ("user_id") WHERE "messages"."read_at" is null and "messages"."hidden_at" is null;--> statement-breakpoint
CREATE INDEX "messages_created" ON "messages" USING btree ("created_at");