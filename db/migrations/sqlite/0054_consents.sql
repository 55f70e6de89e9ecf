CREATE TABLE `documents` (
	`id` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`purpose` text NOT NULL,
	`text` text NOT NULL,
	`required` integer NOT NULL,
	`translations` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `documents_purpose` ON `documents` (`purpose`) WHERE "documents"."active";--> statement-breakpoint
CREATE TABLE `consents` (
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`seq` integer NOT NULL,
	`granted` integer NOT NULL,
	`document_id` text NOT NULL,
	`version` text NOT NULL,
	`source` text NOT NULL,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `purpose`, `seq`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "consents_seq_positive" CHECK("consents"."seq" >= 1)
) STRICT;
--> statement-breakpoint
ALTER TABLE `users` ADD `age_band` text;--> statement-breakpoint
ALTER TABLE `users` ADD `age_source` text;--> statement-breakpoint
ALTER TABLE `users` ADD `age_assured_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `guardian_consent` integer;