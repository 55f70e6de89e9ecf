CREATE TABLE "message_campaigns" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"content" text NOT NULL,
	"definition" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"begins_at" timestamp (3) with time zone NOT NULL,
	"listed_at" timestamp (3) with time zone,
	"stopped_at" timestamp (3) with time zone,
	"resumed_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"fans" bigint NOT NULL,
	"sent" bigint NOT NULL,
	"skipped" bigint NOT NULL,
	CONSTRAINT "message_campaigns_state" CHECK ("message_campaigns"."state" in ('scheduled', 'running', 'stopped', 'finished')),
	CONSTRAINT "message_campaigns_finished" CHECK (("message_campaigns"."state" = 'finished') = ("message_campaigns"."finished_at" is not null)),
	CONSTRAINT "message_campaigns_counts" CHECK ("message_campaigns"."sent" >= 0 and "message_campaigns"."skipped" >= 0 and "message_campaigns"."sent" + "message_campaigns"."skipped" <= "message_campaigns"."fans")
);
--> statement-breakpoint
CREATE TABLE "message_campaign_fans" (
	"campaign_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"message_id" text COLLATE "C",
	CONSTRAINT "message_campaign_fans_pk" PRIMARY KEY("campaign_id","user_id"),
	CONSTRAINT "message_campaign_fans_state" CHECK ("message_campaign_fans"."state" in ('queued', 'sent', 'skipped')),
	CONSTRAINT "message_campaign_fans_message" CHECK (("message_campaign_fans"."state" = 'sent') = ("message_campaign_fans"."message_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "clicked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "message_campaign_fans" ADD CONSTRAINT "message_campaign_fans_campaign_id_message_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "message_campaigns"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_campaign_fans" ADD CONSTRAINT "message_campaign_fans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_campaigns_state" ON "message_campaigns" USING btree ("state","begins_at");--> statement-breakpoint
CREATE INDEX "message_campaign_fans_due" ON "message_campaign_fans" USING btree ("campaign_id","due_at","user_id") WHERE "message_campaign_fans"."state" = 'queued';--> statement-breakpoint
CREATE INDEX "message_campaign_fans_fan" ON "message_campaign_fans" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "push_deliveries_held" ON "push_deliveries" USING btree ("user_id") WHERE "push_deliveries"."reason" = 'campaign_stopped';