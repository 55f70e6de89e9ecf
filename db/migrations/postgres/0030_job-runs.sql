CREATE TABLE "job_runs" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"input" text,
	"state" text COLLATE "C" NOT NULL,
	"slot" text COLLATE "C",
	"started_by_id" text COLLATE "C" NOT NULL,
	"started_by_name" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"heartbeat_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"done" bigint DEFAULT 0 NOT NULL,
	"total" bigint,
	"cancel_requested_at" timestamp (3) with time zone,
	"result" text,
	"error" text,
	CONSTRAINT "job_runs_state" CHECK ("job_runs"."state" in ('running', 'done', 'failed', 'cancelled')),
	CONSTRAINT "job_runs_ended" CHECK (("job_runs"."ended_at" is null) = ("job_runs"."state" = 'running')),
	CONSTRAINT "job_runs_has_slot" CHECK (("job_runs"."slot" is null) = ("job_runs"."state" <> 'running'))
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "earlier_attempts" text;--> statement-breakpoint
CREATE INDEX "job_runs_started" ON "job_runs" USING btree ("started_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "job_runs_slot_unique" ON "job_runs" USING btree ("slot");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_undelivered" ON "webhook_deliveries" USING btree ("created_at") WHERE "webhook_deliveries"."state" <> 'delivered';