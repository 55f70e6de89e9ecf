CREATE TABLE "questions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"match_id" text COLLATE "C",
	"kind" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"image_url" text,
	"options" text NOT NULL,
	"opens_at" timestamp (3) with time zone NOT NULL,
	"closes_at" timestamp (3) with time zone NOT NULL,
	"offset_ms" bigint,
	"shown_opens_at" timestamp (3) with time zone NOT NULL,
	"shown_closes_at" timestamp (3) with time zone NOT NULL,
	"changeable" boolean NOT NULL,
	"results" text COLLATE "C" NOT NULL,
	"correct" text COLLATE "C",
	"points" bigint,
	"sponsor_id" text COLLATE "C",
	"requires" text,
	"translations" text,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "questions_kind" CHECK ("questions"."kind" in ('poll', 'quiz', 'prediction', 'rating', 'player')),
	CONSTRAINT "questions_results" CHECK ("questions"."results" in ('live', 'after_vote', 'after_close')),
	CONSTRAINT "questions_order" CHECK ("questions"."opens_at" <= "questions"."closes_at")
);
--> statement-breakpoint
CREATE TABLE "question_boxes" (
	"question_id" text COLLATE "C" NOT NULL,
	"box" bigint NOT NULL,
	"opens_at" timestamp (3) with time zone NOT NULL,
	"closes_at" timestamp (3) with time zone NOT NULL,
	"votes" bigint NOT NULL,
	CONSTRAINT "question_boxes_pk" PRIMARY KEY("question_id","box"),
	CONSTRAINT "question_boxes_votes" CHECK ("question_boxes"."votes" >= 0)
);
--> statement-breakpoint
CREATE TABLE "question_tallies" (
	"question_id" text COLLATE "C" NOT NULL,
	"box" bigint NOT NULL,
	"option_id" text COLLATE "C" NOT NULL,
	"votes" bigint NOT NULL,
	CONSTRAINT "question_tallies_pk" PRIMARY KEY("question_id","box","option_id"),
	CONSTRAINT "question_tallies_votes" CHECK ("question_tallies"."votes" >= 0)
);
--> statement-breakpoint
CREATE TABLE "question_votes" (
	"question_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"box" bigint NOT NULL,
	"option_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"counted" boolean NOT NULL,
	"revision" bigint,
	"settled_by" bigint,
	"correct" boolean,
	"points" bigint NOT NULL,
	"booked" bigint NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "question_votes_pk" PRIMARY KEY("question_id","user_id"),
	CONSTRAINT "question_votes_settled" CHECK (("question_votes"."correct" is null) = ("question_votes"."settled_by" is null)),
	CONSTRAINT "question_votes_booked" CHECK ("question_votes"."booked" >= "question_votes"."points" and "question_votes"."points" >= 0)
);
--> statement-breakpoint
CREATE TABLE "question_settlements" (
	"question_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"revision" bigint NOT NULL,
	"correct" text COLLATE "C",
	"points" bigint NOT NULL,
	"revised_at" timestamp (3) with time zone NOT NULL,
	"cursor" text COLLATE "C" NOT NULL,
	"last_pass" boolean NOT NULL,
	"due_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "question_boxes" ADD CONSTRAINT "question_boxes_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_tallies" ADD CONSTRAINT "question_tallies_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_votes" ADD CONSTRAINT "question_votes_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_votes" ADD CONSTRAINT "question_votes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_settlements" ADD CONSTRAINT "question_settlements_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "questions_shown" ON "questions" USING btree ("shown_opens_at","id");--> statement-breakpoint
CREATE INDEX "questions_match" ON "questions" USING btree ("match_id","shown_opens_at","id");--> statement-breakpoint
CREATE INDEX "question_votes_user" ON "question_votes" USING btree ("user_id","created_at","question_id");--> statement-breakpoint
CREATE INDEX "question_settlements_due" ON "question_settlements" USING btree ("due_at");