ALTER TABLE `leagues` ADD `joined` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `league_members` ADD `number` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `league_members` SET `number` = (SELECT count(*) FROM `league_members` AS `other` WHERE `other`.`league_id` = `league_members`.`league_id` AND (`other`.`joined_at`, `other`.`user_id`) <= (`league_members`.`joined_at`, `league_members`.`user_id`));--> statement-breakpoint
UPDATE `leagues` SET `joined` = `members`;--> statement-breakpoint
CREATE UNIQUE INDEX `league_members_number_unique` ON `league_members` (`league_id`,`number`) WHERE "league_members"."number" > 0;