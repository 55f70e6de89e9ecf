CREATE TABLE `segment_members` (
	`segment_id` text NOT NULL,
	`user_id` text NOT NULL,
	`is_member` integer NOT NULL,
	`changes` integer NOT NULL,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`segment_id`, `user_id`),
	FOREIGN KEY (`segment_id`) REFERENCES `segments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "segment_members_changes_positive" CHECK("segment_members"."changes" >= 1),
	CONSTRAINT "segment_members_changes_alternate" CHECK(("segment_members"."changes" % 2 = 1) = "segment_members"."is_member")
) STRICT;
--> statement-breakpoint
CREATE INDEX `segment_members_fan` ON `segment_members` (`user_id`);--> statement-breakpoint
ALTER TABLE `segments` ADD `tracked` integer DEFAULT false NOT NULL;