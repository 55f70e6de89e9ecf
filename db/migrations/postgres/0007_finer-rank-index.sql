-- The rank index anew: buckets of time down to 2 ms, and no first bucket of points but on the widest level.
DELETE FROM "leaderboard_counts";--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 0, -"minus_points" / 1 * 1, 0, count(*) FROM "leaderboard_scores" WHERE -"minus_points" >= 1 GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 1, -"minus_points" / 256 * 256, 0, count(*) FROM "leaderboard_scores" WHERE -"minus_points" >= 256 GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 2, -"minus_points" / 65536 * 65536, 0, count(*) FROM "leaderboard_scores" WHERE -"minus_points" >= 65536 GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 3, -"minus_points" / 16777216 * 16777216, 0, count(*) FROM "leaderboard_scores" WHERE -"minus_points" >= 16777216 GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 4, -"minus_points" / 4294967296 * 4294967296, 0, count(*) FROM "leaderboard_scores" WHERE -"minus_points" >= 4294967296 GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 5, -"minus_points" / 1099511627776 * 1099511627776, 0, count(*) FROM "leaderboard_scores" WHERE -"minus_points" >= 1099511627776 GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 6, -"minus_points" / 281474976710656 * 281474976710656, 0, count(*) FROM "leaderboard_scores" GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 7, -"minus_points", "reached_at" / 268435456 * 268435456, count(*) FROM "leaderboard_scores" GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 8, -"minus_points", "reached_at" / 524288 * 524288, count(*) FROM "leaderboard_scores" GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 9, -"minus_points", "reached_at" / 1024 * 1024, count(*) FROM "leaderboard_scores" GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "leaderboard_counts" SELECT "board", 10, -"minus_points", "reached_at" / 2 * 2, count(*) FROM "leaderboard_scores" GROUP BY 1, 2, 3, 4;
