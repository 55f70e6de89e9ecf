DROP INDEX `points_entries_user_reason_ref_unique`;--> statement-breakpoint
CREATE UNIQUE INDEX `points_entries_ref_user_reason_unique` ON `points_entries` (`ref`,`user_id`,`reason`);