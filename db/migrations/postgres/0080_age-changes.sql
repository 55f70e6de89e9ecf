CREATE TABLE "age_changes" (
	"user_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"age_band" text,
	"source" text,
	"assured_at" timestamp (3) with time zone NOT NULL,
	"guardian_consent" boolean,
	"stated_by" text,
	"changed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "age_changes_pk" PRIMARY KEY("user_id","seq"),
	CONSTRAINT "age_changes_seq_positive" CHECK ("age_changes"."seq" >= 1)
);
--> statement-breakpoint
ALTER TABLE "age_changes" ADD CONSTRAINT "age_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;