CREATE TABLE `catalogue_revisions` (
	`kind` text NOT NULL,
	`entry_id` text NOT NULL,
	`revision` integer NOT NULL,
	`entry` text NOT NULL,
	`source` text NOT NULL,
	`staff_id` text,
	`staff_name` text,
	`reason` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `entry_id`, `revision`),
	CONSTRAINT "catalogue_revisions_source" CHECK("catalogue_revisions"."source" in ('before', 'import', 'console', 'script')),
	CONSTRAINT "catalogue_revisions_before" CHECK(("catalogue_revisions"."revision" = 0) = ("catalogue_revisions"."source" = 'before')),
	CONSTRAINT "catalogue_revisions_revision" CHECK("catalogue_revisions"."revision" >= 0)
) STRICT;
