CREATE TABLE `leaderboard_counts` (
	`board` text NOT NULL,
	`level` integer NOT NULL,
	`points` integer NOT NULL,
	`reached_at` integer NOT NULL,
	`fans` integer NOT NULL,
	PRIMARY KEY(`board`, `level`, `points`, `reached_at`),
	CONSTRAINT "leaderboard_counts_not_negative" CHECK("leaderboard_counts"."fans" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `leaderboard_scores` (
	`board` text NOT NULL,
	`user_id` text NOT NULL,
	`minus_points` integer NOT NULL,
	`reached_at` integer NOT NULL,
	PRIMARY KEY(`board`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "leaderboard_scores_points_exact" CHECK("leaderboard_scores"."minus_points" between -9007199254740991 and 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `leaderboard_scores_rank` ON `leaderboard_scores` (`board`,`minus_points`,`reached_at`,`user_id`);