ALTER TABLE `users` ADD `name_key` text;--> statement-breakpoint
CREATE INDEX `users_name` ON `users` (`name_key`,`id`) WHERE "users"."name_key" is not null;--> statement-breakpoint
CREATE INDEX `users_name_missing` ON `users` (`id`) WHERE "users"."display_name" is not null and "users"."name_key" is null;--> statement-breakpoint
ALTER TABLE `identities` ADD `name_key` text;--> statement-breakpoint
ALTER TABLE `identities` ADD `email_key` text;--> statement-breakpoint
CREATE INDEX `identities_name` ON `identities` (`name_key`,`user_id`) WHERE "identities"."name_key" is not null;--> statement-breakpoint
CREATE INDEX `identities_email_key` ON `identities` (`email_key`,`user_id`) WHERE "identities"."email_key" is not null;--> statement-breakpoint
CREATE INDEX `identities_keys_missing` ON `identities` (`user_id`) WHERE ("identities"."name" is not null and "identities"."name_key" is null) or ("identities"."email" is not null and "identities"."email_key" is null);