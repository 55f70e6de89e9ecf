-- The new index first: until it is built, only writes wait.
CREATE UNIQUE INDEX "points_entries_ref_user_reason_unique" ON "points_entries" USING btree ("ref","user_id","reason");--> statement-breakpoint
DROP INDEX "points_entries_user_reason_ref_unique";
