ALTER TABLE `console_sessions` ADD `provider_session` text;--> statement-breakpoint
CREATE INDEX `console_sessions_provider` ON `console_sessions` (`provider_session`) WHERE "console_sessions"."provider_session" is not null;--> statement-breakpoint
CREATE INDEX `check_ins_match` ON `check_ins` (`match_id`);