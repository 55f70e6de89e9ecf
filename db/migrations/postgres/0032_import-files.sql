CREATE TABLE "import_files" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"command" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "import_file_parts" (
	"file_id" text COLLATE "C" NOT NULL,
	"part" bigint NOT NULL,
	"lines" bigint NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "import_file_parts_file_id_part_pk" PRIMARY KEY("file_id","part")
);
--> statement-breakpoint
ALTER TABLE "import_file_parts" ADD CONSTRAINT "import_file_parts_file_id_import_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "import_files"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "import_files_expiry" ON "import_files" USING btree ("expires_at");