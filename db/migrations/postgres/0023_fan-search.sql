ALTER TABLE "users" ADD COLUMN "name_key" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "name_key" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "email_key" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "users_name" ON "users" USING btree ("name_key","id") WHERE "users"."name_key" is not null;--> statement-breakpoint
CREATE INDEX "users_name_missing" ON "users" USING btree ("id") WHERE "users"."display_name" is not null and "users"."name_key" is null;--> statement-breakpoint
CREATE INDEX "identities_name" ON "identities" USING btree ("name_key","user_id") WHERE "identities"."name_key" is not null;--> statement-breakpoint
CREATE INDEX "identities_email_key" ON "identities" USING btree ("email_key","user_id") WHERE "identities"."email_key" is not null;--> statement-breakpoint
CREATE INDEX "identities_keys_missing" ON "identities" USING btree ("user_id") WHERE ("identities"."name" is not null and "identities"."name_key" is null) or ("identities"."email" is not null and "identities"."email_key" is null);