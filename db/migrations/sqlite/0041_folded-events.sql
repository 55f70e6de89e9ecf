ALTER TABLE `catalogue_versions` ADD `folds_from` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `entry_count` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `first_entry_seq` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `lifetime_after` integer;--> statement-breakpoint
UPDATE `catalogue_versions` SET `folds_from` = (unixepoch() + 86400) * 1000 WHERE `kind` = 'events';
