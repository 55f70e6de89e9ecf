CREATE TABLE "devices" (
	"user_id" text COLLATE "C" NOT NULL,
	"device_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"service" text COLLATE "C" NOT NULL,
	"match_id" text COLLATE "C",
	"token_hash" text COLLATE "C" NOT NULL,
	"encrypted_token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "devices_pk" PRIMARY KEY("user_id","device_id"),
	CONSTRAINT "devices_kind" CHECK ("devices"."kind" in ('webpush', 'fcm', 'apns', 'live_activity')),
	CONSTRAINT "devices_of_match" CHECK ("devices"."match_id" is null or "devices"."kind" = 'live_activity')
);
--> statement-breakpoint
CREATE TABLE "push_services" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"paused_until" timestamp (3) with time zone,
	"refused_since" timestamp (3) with time zone,
	"refusal" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "push_deliveries" (
	"user_id" text COLLATE "C" NOT NULL,
	"device_id" text COLLATE "C" NOT NULL,
	"message_id" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"service" text COLLATE "C" NOT NULL,
	"bulk" boolean NOT NULL,
	"category" text COLLATE "C" NOT NULL,
	"content" text,
	"collapse_key" text COLLATE "C",
	"sender_id" text COLLATE "C",
	"state" text COLLATE "C" NOT NULL,
	"reason" text COLLATE "C",
	"attempts" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"lease_ends_at" timestamp (3) with time zone,
	"counted_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"status" bigint,
	CONSTRAINT "push_deliveries_pk" PRIMARY KEY("user_id","device_id","message_id"),
	CONSTRAINT "push_deliveries_state" CHECK ("push_deliveries"."state" in ('pending', 'sent', 'skipped', 'failed')),
	CONSTRAINT "push_deliveries_ended" CHECK (("push_deliveries"."state" = 'pending') = ("push_deliveries"."ended_at" is null))
);
--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_deliveries" ADD CONSTRAINT "push_deliveries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_token" ON "devices" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "devices_match" ON "devices" USING btree ("match_id") WHERE "devices"."match_id" is not null;--> statement-breakpoint
CREATE INDEX "push_deliveries_due" ON "push_deliveries" USING btree ("service","bulk","due_at") WHERE "push_deliveries"."state" = 'pending' and "push_deliveries"."lease_ends_at" is null;--> statement-breakpoint
CREATE INDEX "push_deliveries_leases" ON "push_deliveries" USING btree ("service","bulk","lease_ends_at") WHERE "push_deliveries"."lease_ends_at" is not null;--> statement-breakpoint
CREATE INDEX "push_deliveries_pending" ON "push_deliveries" USING btree ("user_id","device_id","position") WHERE "push_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "push_deliveries_counted" ON "push_deliveries" USING btree ("user_id","counted_at") WHERE "push_deliveries"."counted_at" is not null;--> statement-breakpoint
CREATE INDEX "push_deliveries_created" ON "push_deliveries" USING btree ("created_at");