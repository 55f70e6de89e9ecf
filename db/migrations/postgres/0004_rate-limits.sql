CREATE TABLE "rate_limit_windows" (
	"key" text COLLATE "C" PRIMARY KEY NOT NULL,
	"used" bigint NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "rate_limit_windows_end" ON "rate_limit_windows" USING btree ("ends_at");