CREATE TABLE "lockers" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"theme" text COLLATE "C" NOT NULL,
	"shelves" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "locker_items" (
	"user_id" text COLLATE "C" NOT NULL,
	"shelf" bigint NOT NULL,
	"position" bigint NOT NULL,
	"collectible_id" text COLLATE "C" NOT NULL,
	"serial_number" bigint NOT NULL,
	CONSTRAINT "locker_items_pk" PRIMARY KEY("user_id","shelf","position"),
	CONSTRAINT "locker_items_place" CHECK ("locker_items"."shelf" >= 0 and "locker_items"."position" >= 0)
);
--> statement-breakpoint
ALTER TABLE "privacy_settings" ADD COLUMN "locker" text;--> statement-breakpoint
ALTER TABLE "lockers" ADD CONSTRAINT "lockers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "locker_items" ADD CONSTRAINT "locker_items_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "locker_items_item_unique" ON "locker_items" USING btree ("user_id","collectible_id","serial_number");