CREATE TABLE `prediction_splits` (
	`match_id` text PRIMARY KEY NOT NULL,
	`kickoff_at` integer NOT NULL,
	`frozen_at` integer NOT NULL,
	`home` integer NOT NULL,
	`draw` integer NOT NULL,
	`away` integer NOT NULL,
	FOREIGN KEY (`match_id`) REFERENCES `matches`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "prediction_splits_not_negative" CHECK("prediction_splits"."home" >= 0 and "prediction_splits"."draw" >= 0 and "prediction_splits"."away" >= 0)
) STRICT;
--> statement-breakpoint
ALTER TABLE `competitions` ADD `joker` integer;--> statement-breakpoint
ALTER TABLE `competitions` ADD `crowd` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `predictions` ADD `competition` text;--> statement-breakpoint
ALTER TABLE `predictions` ADD `joker_season` text;--> statement-breakpoint
ALTER TABLE `predictions` ADD `joker_round` text;--> statement-breakpoint
CREATE UNIQUE INDEX `predictions_joker` ON `predictions` (`user_id`,`competition`,`joker_season`,`joker_round`) WHERE "predictions"."joker_round" is not null;