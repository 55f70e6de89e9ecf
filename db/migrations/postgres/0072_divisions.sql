CREATE TABLE "divisions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"scoring" text COLLATE "C" NOT NULL,
	"size" bigint NOT NULL,
	"every" text COLLATE "C" NOT NULL,
	"levels" text NOT NULL,
	"translations" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "division_periods" (
	"division_id" text COLLATE "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"scoring" text COLLATE "C" NOT NULL,
	"size" bigint NOT NULL,
	"levels" text NOT NULL,
	"closed_at" timestamp (3) with time zone,
	CONSTRAINT "division_periods_pk" PRIMARY KEY("division_id","starts_at"),
	CONSTRAINT "division_periods_order" CHECK ("division_periods"."starts_at" < "division_periods"."ends_at")
);
--> statement-breakpoint
CREATE TABLE "division_levels" (
	"division_id" text COLLATE "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"level" bigint NOT NULL,
	"placed" bigint NOT NULL,
	"closed" bigint NOT NULL,
	CONSTRAINT "division_levels_pk" PRIMARY KEY("division_id","starts_at","level"),
	CONSTRAINT "division_levels_counts" CHECK ("division_levels"."placed" >= 0 and "division_levels"."closed" >= 0)
);
--> statement-breakpoint
CREATE TABLE "division_members" (
	"user_id" text COLLATE "C" NOT NULL,
	"division_id" text COLLATE "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"level" bigint NOT NULL,
	"number" bigint NOT NULL,
	"seat" bigint NOT NULL,
	"after_seq" bigint NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"result" text,
	"untold" boolean NOT NULL,
	CONSTRAINT "division_members_pk" PRIMARY KEY("user_id","division_id"),
	CONSTRAINT "division_members_seat" CHECK ("division_members"."seat" between 1 and 100)
);
--> statement-breakpoint
ALTER TABLE "division_periods" ADD CONSTRAINT "division_periods_division_id_divisions_id_fk" FOREIGN KEY ("division_id") REFERENCES "divisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "division_levels" ADD CONSTRAINT "division_levels_division_id_divisions_id_fk" FOREIGN KEY ("division_id") REFERENCES "divisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "division_members" ADD CONSTRAINT "division_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "division_members" ADD CONSTRAINT "division_members_division_id_divisions_id_fk" FOREIGN KEY ("division_id") REFERENCES "divisions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "division_periods_open" ON "division_periods" USING btree ("ends_at") WHERE "division_periods"."closed_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "division_members_seat_unique" ON "division_members" USING btree ("division_id","starts_at","level","number","seat");--> statement-breakpoint
CREATE INDEX "division_members_untold" ON "division_members" USING btree ("user_id","division_id") WHERE "division_members"."untold";