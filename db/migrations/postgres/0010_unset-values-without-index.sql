DROP INDEX "pack_purchases_payment_unique";--> statement-breakpoint
DROP INDEX "user_items_given_unique";--> statement-breakpoint
DROP INDEX "user_rewards_redemption_code_unique";--> statement-breakpoint
DROP INDEX "users_handle_unique";--> statement-breakpoint
CREATE UNIQUE INDEX "pack_purchases_payment_unique" ON "pack_purchases" USING btree ("payment_reference") WHERE "pack_purchases"."payment_reference" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "user_items_given_unique" ON "user_items" USING btree ("user_id","given_for") WHERE "user_items"."given_for" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "user_rewards_redemption_code_unique" ON "user_rewards" USING btree ("redemption_code") WHERE "user_rewards"."redemption_code" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_handle_unique" ON "users" USING btree ("handle") WHERE "users"."handle" is not null;