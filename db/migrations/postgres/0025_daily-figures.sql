CREATE TABLE "daily_figures" (
	"day" text COLLATE "C" PRIMARY KEY NOT NULL,
	"new_fans" bigint NOT NULL,
	"onboardings" bigint NOT NULL,
	"active_fans" bigint NOT NULL,
	"points_granted" bigint NOT NULL,
	"points_spent" bigint NOT NULL,
	"points_taken" bigint NOT NULL,
	"claims" bigint NOT NULL,
	"redemptions" bigint NOT NULL,
	"orders" bigint NOT NULL,
	"packs" bigint NOT NULL
);
