ALTER TABLE `leaderboard_entries` ADD `hash` text;--> statement-breakpoint
ALTER TABLE `users` ADD `erased_at` integer;