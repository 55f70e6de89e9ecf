CREATE TABLE `referral_codes` (
	`code` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `referral_codes_fan` ON `referral_codes` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `referrals` (
	`invitee_id` text PRIMARY KEY NOT NULL,
	`inviter_id` text NOT NULL,
	`invited_at` integer NOT NULL,
	`completed_at` integer,
	`source` text,
	`event_id` text,
	`voided_at` integer,
	FOREIGN KEY (`invitee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`inviter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "referrals_of_two_fans" CHECK("referrals"."invitee_id" <> "referrals"."inviter_id"),
	CONSTRAINT "referrals_completed_by_event" CHECK(("referrals"."completed_at" is null) = ("referrals"."event_id" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `referrals_inviter` ON `referrals` (`inviter_id`,`completed_at`);