CREATE TABLE "players" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"team_id" text,
	"name" text NOT NULL,
	"number" bigint,
	"position" text,
	"image_url" text,
	"translations" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
