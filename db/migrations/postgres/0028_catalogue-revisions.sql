CREATE TABLE "catalogue_revisions" (
	"kind" text COLLATE "C" NOT NULL,
	"entry_id" text COLLATE "C" NOT NULL,
	"revision" bigint NOT NULL,
	"entry" text NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"staff_id" text COLLATE "C",
	"staff_name" text,
	"reason" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "catalogue_revisions_pk" PRIMARY KEY("kind","entry_id","revision"),
	CONSTRAINT "catalogue_revisions_source" CHECK ("catalogue_revisions"."source" in ('before', 'import', 'console', 'script')),
	CONSTRAINT "catalogue_revisions_before" CHECK (("catalogue_revisions"."revision" = 0) = ("catalogue_revisions"."source" = 'before')),
	CONSTRAINT "catalogue_revisions_revision" CHECK ("catalogue_revisions"."revision" >= 0)
);
