CREATE TABLE `job_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`input` text,
	`state` text NOT NULL,
	`slot` text,
	`started_by_id` text NOT NULL,
	`started_by_name` text NOT NULL,
	`started_at` integer NOT NULL,
	`heartbeat_at` integer NOT NULL,
	`ended_at` integer,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer,
	`cancel_requested_at` integer,
	`result` text,
	`error` text,
	CONSTRAINT "job_runs_state" CHECK("job_runs"."state" in ('running', 'done', 'failed', 'cancelled')),
	CONSTRAINT "job_runs_ended" CHECK(("job_runs"."ended_at" is null) = ("job_runs"."state" = 'running')),
	CONSTRAINT "job_runs_has_slot" CHECK(("job_runs"."slot" is null) = ("job_runs"."state" <> 'running'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `job_runs_started` ON `job_runs` (`started_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `job_runs_slot_unique` ON `job_runs` (`slot`);--> statement-breakpoint
ALTER TABLE `webhook_deliveries` ADD `earlier_attempts` text;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_undelivered` ON `webhook_deliveries` (`created_at`) WHERE "webhook_deliveries"."state" <> 'delivered';