CREATE TABLE "season_counts" (
	"kind" text COLLATE "C" NOT NULL,
	"bucket" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"stated" boolean NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "season_counts_pk" PRIMARY KEY("kind","bucket","name","stated")
);
--> statement-breakpoint
CREATE TABLE "season_fans" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"week" bigint NOT NULL,
	"team_id" text COLLATE "C",
	"country" text COLLATE "C",
	"steps" bigint NOT NULL,
	"weeks" bigint NOT NULL,
	"results" text NOT NULL,
	"stated" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "season_subjects" (
	"number" bigint PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "season_sweep" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"counted_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "season_fans" ADD CONSTRAINT "season_fans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "season_subjects_unique" ON "season_subjects" USING btree ("kind","name");--> statement-breakpoint
CREATE INDEX "predictions_created" ON "predictions" USING btree ("created_at");