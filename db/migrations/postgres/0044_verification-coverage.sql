CREATE TABLE "verification_coverage" (
	"command" text COLLATE "C" PRIMARY KEY NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"parts" text
);
