CREATE TABLE "segment_members" (
	"segment_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"is_member" boolean NOT NULL,
	"changes" bigint NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "segment_members_pk" PRIMARY KEY("segment_id","user_id"),
	CONSTRAINT "segment_members_changes_positive" CHECK ("segment_members"."changes" >= 1),
	CONSTRAINT "segment_members_changes_alternate" CHECK (("segment_members"."changes" % 2 = 1) = "segment_members"."is_member")
);
--> statement-breakpoint
ALTER TABLE "segments" ADD COLUMN "tracked" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "segment_members" ADD CONSTRAINT "segment_members_segment_id_segments_id_fk" FOREIGN KEY ("segment_id") REFERENCES "segments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "segment_members" ADD CONSTRAINT "segment_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "segment_members_fan" ON "segment_members" USING btree ("user_id");