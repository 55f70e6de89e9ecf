CREATE TABLE "data_exports" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"day" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"lease_ends_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"parts" bigint NOT NULL,
	CONSTRAINT "data_exports_completed" CHECK (("data_exports"."completed_at" is null) = ("data_exports"."lease_ends_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "data_export_parts" (
	"export_id" text COLLATE "C" NOT NULL,
	"part" bigint NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "data_export_parts_pk" PRIMARY KEY("export_id","part")
);
--> statement-breakpoint
ALTER TABLE "data_exports" ADD CONSTRAINT "data_exports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_export_parts" ADD CONSTRAINT "data_export_parts_export_id_data_exports_id_fk" FOREIGN KEY ("export_id") REFERENCES "data_exports"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "data_exports_day" ON "data_exports" USING btree ("user_id","day");--> statement-breakpoint
CREATE INDEX "data_exports_due" ON "data_exports" USING btree ("lease_ends_at") WHERE "data_exports"."lease_ends_at" is not null;--> statement-breakpoint
CREATE INDEX "data_exports_expiry" ON "data_exports" USING btree ("expires_at");