CREATE TABLE `questions` (
	`id` text PRIMARY KEY NOT NULL,
	`match_id` text,
	`kind` text NOT NULL,
	`title` text NOT NULL,
	`image_url` text,
	`options` text NOT NULL,
	`opens_at` integer NOT NULL,
	`closes_at` integer NOT NULL,
	`offset_ms` integer,
	`shown_opens_at` integer NOT NULL,
	`shown_closes_at` integer NOT NULL,
	`changeable` integer NOT NULL,
	`results` text NOT NULL,
	`correct` text,
	`points` integer,
	`sponsor_id` text,
	`requires` text,
	`translations` text,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "questions_kind" CHECK("questions"."kind" in ('poll', 'quiz', 'prediction', 'rating', 'player')),
	CONSTRAINT "questions_results" CHECK("questions"."results" in ('live', 'after_vote', 'after_close')),
	CONSTRAINT "questions_order" CHECK("questions"."opens_at" <= "questions"."closes_at")
) STRICT;
--> statement-breakpoint
CREATE INDEX `questions_shown` ON `questions` (`shown_opens_at`,`id`);--> statement-breakpoint
CREATE INDEX `questions_match` ON `questions` (`match_id`,`shown_opens_at`,`id`);--> statement-breakpoint
CREATE TABLE `question_boxes` (
	`question_id` text NOT NULL,
	`box` integer NOT NULL,
	`opens_at` integer NOT NULL,
	`closes_at` integer NOT NULL,
	`votes` integer NOT NULL,
	PRIMARY KEY(`question_id`, `box`),
	FOREIGN KEY (`question_id`) REFERENCES `questions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "question_boxes_votes" CHECK("question_boxes"."votes" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `question_tallies` (
	`question_id` text NOT NULL,
	`box` integer NOT NULL,
	`option_id` text NOT NULL,
	`votes` integer NOT NULL,
	PRIMARY KEY(`question_id`, `box`, `option_id`),
	FOREIGN KEY (`question_id`) REFERENCES `questions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "question_tallies_votes" CHECK("question_tallies"."votes" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `question_votes` (
	`question_id` text NOT NULL,
	`user_id` text NOT NULL,
	`box` integer NOT NULL,
	`option_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`counted` integer NOT NULL,
	`revision` integer,
	`settled_by` integer,
	`correct` integer,
	`points` integer NOT NULL,
	`booked` integer NOT NULL,
	`settled_at` integer,
	PRIMARY KEY(`question_id`, `user_id`),
	FOREIGN KEY (`question_id`) REFERENCES `questions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "question_votes_settled" CHECK(("question_votes"."correct" is null) = ("question_votes"."settled_by" is null)),
	CONSTRAINT "question_votes_booked" CHECK("question_votes"."booked" >= "question_votes"."points" and "question_votes"."points" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `question_votes_user` ON `question_votes` (`user_id`,`created_at`,`question_id`);--> statement-breakpoint
CREATE TABLE `question_settlements` (
	`question_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`correct` text,
	`points` integer NOT NULL,
	`revised_at` integer NOT NULL,
	`cursor` text NOT NULL,
	`last_pass` integer NOT NULL,
	`due_at` integer,
	FOREIGN KEY (`question_id`) REFERENCES `questions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `question_settlements_due` ON `question_settlements` (`due_at`);