CREATE TABLE `age_changes` (
	`user_id` text NOT NULL,
	`seq` integer NOT NULL,
	`age_band` text,
	`source` text,
	`assured_at` integer NOT NULL,
	`guardian_consent` integer,
	`stated_by` text,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `seq`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "age_changes_seq_positive" CHECK("age_changes"."seq" >= 1)
) STRICT;
