CREATE TABLE `console_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`staff_id` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `console_links_expiry` ON `console_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `console_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`staff_id` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`ended_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `console_sessions_hash_unique` ON `console_sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `console_sessions_staff` ON `console_sessions` (`staff_id`);--> statement-breakpoint
CREATE INDEX `console_sessions_expiry` ON `console_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `console_audit` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`staff_id` text NOT NULL,
	`staff_name` text NOT NULL,
	`role` text NOT NULL,
	`operation` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`reason` text,
	`detail` text,
	`confirmed_by_id` text,
	`confirmed_by_name` text,
	`hash` text NOT NULL,
	CONSTRAINT "console_audit_confirmed" CHECK(("console_audit"."confirmed_by_id" is null) = ("console_audit"."confirmed_by_name" is null) and ("console_audit"."confirmed_by_id" is null or "console_audit"."confirmed_by_id" <> "console_audit"."staff_id"))
) STRICT;
--> statement-breakpoint
CREATE INDEX `console_audit_time` ON `console_audit` (`at`);--> statement-breakpoint
CREATE INDEX `console_audit_staff` ON `console_audit` (`staff_id`,`seq`);--> statement-breakpoint
CREATE INDEX `console_audit_subject` ON `console_audit` (`subject_kind`,`subject_id`,`seq`);--> statement-breakpoint
CREATE INDEX `console_audit_operation` ON `console_audit` (`operation`,`seq`);--> statement-breakpoint
CREATE TABLE `console_audit_head` (
	`id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `console_approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`permission` text NOT NULL,
	`operation` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`reason` text,
	`request` text,
	`requested_by_id` text NOT NULL,
	`requested_by_name` text NOT NULL,
	`requested_by_role` text NOT NULL,
	`requested_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`decision` text,
	`decided_by_id` text,
	`decided_by_name` text,
	`decided_at` integer,
	CONSTRAINT "console_approvals_decision" CHECK("console_approvals"."decision" in ('confirmed', 'refused')),
	CONSTRAINT "console_approvals_decided" CHECK(("console_approvals"."decision" is null) = ("console_approvals"."decided_at" is null) and ("console_approvals"."decision" is null) = ("console_approvals"."decided_by_id" is null) and ("console_approvals"."decision" is null) = ("console_approvals"."decided_by_name" is null)),
	CONSTRAINT "console_approvals_two_people" CHECK("console_approvals"."decision" is null or "console_approvals"."decision" = 'refused' or "console_approvals"."decided_by_id" <> "console_approvals"."requested_by_id")
) STRICT;
--> statement-breakpoint
CREATE INDEX `console_approvals_time` ON `console_approvals` (`requested_at`,`id`);--> statement-breakpoint
CREATE INDEX `console_approvals_open` ON `console_approvals` (`expires_at`) WHERE "console_approvals"."decision" is null;