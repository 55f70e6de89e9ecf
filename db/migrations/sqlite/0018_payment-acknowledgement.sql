ALTER TABLE `payments` ADD `acknowledge_by` integer;--> statement-breakpoint
CREATE INDEX `payments_to_acknowledge` ON `payments` (`acknowledge_by`) WHERE "payments"."acknowledge_by" is not null;