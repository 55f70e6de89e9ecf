CREATE TABLE `idempotency_keys` (
	`provider` text NOT NULL,
	`subject` text NOT NULL,
	`route` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer,
	`answer` text,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`provider`, `subject`, `route`, `key`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);