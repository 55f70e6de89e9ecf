CREATE TABLE `verification_coverage` (
	`command` text PRIMARY KEY NOT NULL,
	`verified_at` integer,
	`parts` text
) STRICT;
