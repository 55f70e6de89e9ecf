CREATE TABLE "points_expiry" (
	"days" bigint PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"day" timestamp (3) with time zone NOT NULL,
	"cursor" text COLLATE "C"
);
