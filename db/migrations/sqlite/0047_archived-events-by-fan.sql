ALTER TABLE `verification_coverage` ADD `past_changed_at` integer;--> statement-breakpoint
CREATE INDEX `archived_events_user` ON `archived_events` (`user_id`);