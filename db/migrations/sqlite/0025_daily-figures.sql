CREATE TABLE `daily_figures` (
	`day` text PRIMARY KEY NOT NULL,
	`new_fans` integer NOT NULL,
	`onboardings` integer NOT NULL,
	`active_fans` integer NOT NULL,
	`points_granted` integer NOT NULL,
	`points_spent` integer NOT NULL,
	`points_taken` integer NOT NULL,
	`claims` integer NOT NULL,
	`redemptions` integer NOT NULL,
	`orders` integer NOT NULL,
	`packs` integer NOT NULL
) STRICT;
