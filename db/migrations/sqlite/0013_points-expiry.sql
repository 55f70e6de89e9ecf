CREATE TABLE `points_expiry` (
	`days` integer PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`day` integer NOT NULL,
	`cursor` text
) STRICT;
