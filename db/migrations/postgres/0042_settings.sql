CREATE TABLE "settings" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"stated" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
