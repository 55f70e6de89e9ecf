CREATE TABLE "leaderboard_counts" (
	"board" text COLLATE "C" NOT NULL,
	"level" bigint NOT NULL,
	"points" bigint NOT NULL,
	"reached_at" bigint NOT NULL,
	"fans" bigint NOT NULL,
	CONSTRAINT "leaderboard_counts_board_level_points_reached_at_pk" PRIMARY KEY("board","level","points","reached_at"),
	CONSTRAINT "leaderboard_counts_not_negative" CHECK ("leaderboard_counts"."fans" >= 0)
);
--> statement-breakpoint
CREATE TABLE "leaderboard_scores" (
	"board" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"minus_points" bigint NOT NULL,
	"reached_at" bigint NOT NULL,
	CONSTRAINT "leaderboard_scores_board_user_id_pk" PRIMARY KEY("board","user_id"),
	CONSTRAINT "leaderboard_scores_points_exact" CHECK ("leaderboard_scores"."minus_points" between -9007199254740991 and 0)
);
--> statement-breakpoint
ALTER TABLE "leaderboard_scores" ADD CONSTRAINT "leaderboard_scores_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "leaderboard_scores_rank" ON "leaderboard_scores" USING btree ("board","minus_points","reached_at","user_id");