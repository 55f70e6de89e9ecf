CREATE TABLE "archive_files" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"season_id" text COLLATE "C" NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"sha256" text NOT NULL,
	"bytes" bigint NOT NULL,
	"fans" bigint NOT NULL,
	"written_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archive_seams" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"files" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL,
	"balance" bigint NOT NULL,
	"lifetime" bigint NOT NULL,
	"sequence" bigint NOT NULL,
	"kept_entries" bigint NOT NULL,
	"kept_events" bigint NOT NULL,
	"state" text NOT NULL,
	"digest" text NOT NULL,
	"key" text,
	"sealed" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archived_events" (
	"key" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "archive_seams" ADD CONSTRAINT "archive_seams_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "archived_events" ADD CONSTRAINT "archived_events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;