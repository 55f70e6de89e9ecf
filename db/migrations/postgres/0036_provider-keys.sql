CREATE TABLE "provider_keys" (
	"source" text COLLATE "C" PRIMARY KEY NOT NULL,
	"keys" text NOT NULL,
	"fetched_at" timestamp (3) with time zone NOT NULL,
	"mac" text COLLATE "C" NOT NULL
);
