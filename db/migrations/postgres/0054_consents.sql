CREATE TABLE "documents" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"purpose" text COLLATE "C" NOT NULL,
	"text" text NOT NULL,
	"required" boolean NOT NULL,
	"translations" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "consents" (
	"user_id" text COLLATE "C" NOT NULL,
	"purpose" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"granted" boolean NOT NULL,
	"document_id" text COLLATE "C" NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"source" text NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "consents_pk" PRIMARY KEY("user_id","purpose","seq"),
	CONSTRAINT "consents_seq_positive" CHECK ("consents"."seq" >= 1)
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "age_band" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "age_source" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "age_assured_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "guardian_consent" boolean;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "documents_purpose" ON "documents" USING btree ("purpose") WHERE "documents"."active";