CREATE TABLE "console_links" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"staff_id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"role" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"staff_id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"role" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "console_audit" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"staff_id" text COLLATE "C" NOT NULL,
	"staff_name" text NOT NULL,
	"role" text COLLATE "C" NOT NULL,
	"operation" text COLLATE "C" NOT NULL,
	"subject_kind" text COLLATE "C" NOT NULL,
	"subject_id" text COLLATE "C" NOT NULL,
	"reason" text,
	"detail" text,
	"confirmed_by_id" text COLLATE "C",
	"confirmed_by_name" text,
	"hash" text COLLATE "C" NOT NULL,
	CONSTRAINT "console_audit_confirmed" CHECK (("console_audit"."confirmed_by_id" is null) = ("console_audit"."confirmed_by_name" is null) and ("console_audit"."confirmed_by_id" is null or "console_audit"."confirmed_by_id" <> "console_audit"."staff_id"))
);
--> statement-breakpoint
CREATE TABLE "console_audit_head" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console_approvals" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"permission" text COLLATE "C" NOT NULL,
	"operation" text COLLATE "C" NOT NULL,
	"subject_kind" text COLLATE "C" NOT NULL,
	"subject_id" text COLLATE "C" NOT NULL,
	"reason" text,
	"request" text,
	"requested_by_id" text COLLATE "C" NOT NULL,
	"requested_by_name" text NOT NULL,
	"requested_by_role" text COLLATE "C" NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decision" text COLLATE "C",
	"decided_by_id" text COLLATE "C",
	"decided_by_name" text,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "console_approvals_decision" CHECK ("console_approvals"."decision" in ('confirmed', 'refused')),
	CONSTRAINT "console_approvals_decided" CHECK (("console_approvals"."decision" is null) = ("console_approvals"."decided_at" is null) and ("console_approvals"."decision" is null) = ("console_approvals"."decided_by_id" is null) and ("console_approvals"."decision" is null) = ("console_approvals"."decided_by_name" is null)),
	CONSTRAINT "console_approvals_two_people" CHECK ("console_approvals"."decision" is null or "console_approvals"."decision" = 'refused' or "console_approvals"."decided_by_id" <> "console_approvals"."requested_by_id")
);
--> statement-breakpoint
CREATE INDEX "console_links_expiry" ON "console_links" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "console_sessions_hash_unique" ON "console_sessions" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "console_sessions_staff" ON "console_sessions" USING btree ("staff_id");--> statement-breakpoint
CREATE INDEX "console_sessions_expiry" ON "console_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "console_audit_time" ON "console_audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "console_audit_staff" ON "console_audit" USING btree ("staff_id","seq");--> statement-breakpoint
CREATE INDEX "console_audit_subject" ON "console_audit" USING btree ("subject_kind","subject_id","seq");--> statement-breakpoint
CREATE INDEX "console_audit_operation" ON "console_audit" USING btree ("operation","seq");--> statement-breakpoint
CREATE INDEX "console_approvals_time" ON "console_approvals" USING btree ("requested_at","id");--> statement-breakpoint
CREATE INDEX "console_approvals_open" ON "console_approvals" USING btree ("expires_at") WHERE "console_approvals"."decision" is null;