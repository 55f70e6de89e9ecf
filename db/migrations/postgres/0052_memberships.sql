CREATE TABLE "memberships" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"image_url" text,
	"benefits" text NOT NULL,
	"translations" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fan_memberships" (
	"ref" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"kind_id" text COLLATE "C" NOT NULL,
	"number" text,
	"holder" text,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"begun" boolean NOT NULL,
	"next_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "fan_memberships_order" CHECK ("fan_memberships"."starts_at" <= "fan_memberships"."ends_at")
);
--> statement-breakpoint
ALTER TABLE "fan_memberships" ADD CONSTRAINT "fan_memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fan_memberships" ADD CONSTRAINT "fan_memberships_kind_id_memberships_id_fk" FOREIGN KEY ("kind_id") REFERENCES "memberships"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "fan_memberships_fan" ON "fan_memberships" USING btree ("user_id","kind_id");--> statement-breakpoint
CREATE INDEX "fan_memberships_due" ON "fan_memberships" USING btree ("next_at");