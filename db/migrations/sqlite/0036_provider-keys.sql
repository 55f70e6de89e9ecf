CREATE TABLE `provider_keys` (
	`source` text PRIMARY KEY NOT NULL,
	`keys` text NOT NULL,
	`fetched_at` integer NOT NULL,
	`mac` text NOT NULL
) STRICT;
