CREATE TABLE "sets" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"translations" text,
	"reward_points" bigint NOT NULL,
	"reward_id" text COLLATE "C",
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sets_points_not_negative" CHECK ("sets"."reward_points" >= 0)
);
--> statement-breakpoint
CREATE TABLE "set_items" (
	"set_id" text COLLATE "C" NOT NULL,
	"collectible_id" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "set_items_pk" PRIMARY KEY("set_id","collectible_id")
);
--> statement-breakpoint
CREATE TABLE "set_completions" (
	"user_id" text COLLATE "C" NOT NULL,
	"set_id" text COLLATE "C" NOT NULL,
	"completed_at" timestamp (3) with time zone NOT NULL,
	"points" bigint NOT NULL,
	"reward_id" text COLLATE "C",
	CONSTRAINT "set_completions_pk" PRIMARY KEY("user_id","set_id")
);
--> statement-breakpoint
ALTER TABLE "sets" ADD CONSTRAINT "sets_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "set_items" ADD CONSTRAINT "set_items_set_id_sets_id_fk" FOREIGN KEY ("set_id") REFERENCES "sets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "set_items" ADD CONSTRAINT "set_items_collectible_id_collectibles_id_fk" FOREIGN KEY ("collectible_id") REFERENCES "collectibles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "set_completions" ADD CONSTRAINT "set_completions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "set_completions" ADD CONSTRAINT "set_completions_set_id_sets_id_fk" FOREIGN KEY ("set_id") REFERENCES "sets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "set_completions" ADD CONSTRAINT "set_completions_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "set_items_collectible" ON "set_items" USING btree ("collectible_id","set_id");