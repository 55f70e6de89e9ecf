-- Decisions are append-only. Drizzle cannot declare triggers: this is written by hand.
CREATE TRIGGER moderation_decisions_refuse_update BEFORE UPDATE ON moderation_decisions
BEGIN
	SELECT RAISE(ABORT, 'moderation_decisions is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER moderation_decisions_refuse_delete BEFORE DELETE ON moderation_decisions
BEGIN
	SELECT RAISE(ABORT, 'moderation_decisions is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a decision that exists is never written again.
CREATE TRIGGER moderation_decisions_refuse_replace BEFORE INSERT ON moderation_decisions
WHEN EXISTS (SELECT 1 FROM moderation_decisions WHERE id = NEW.id)
	OR EXISTS (SELECT 1 FROM moderation_decisions WHERE fan_id = NEW.fan_id AND seq = NEW.seq)
	OR EXISTS (SELECT 1 FROM moderation_decisions WHERE lifts_id = NEW.lifts_id)
BEGIN
	SELECT RAISE(ABORT, 'moderation_decisions is append-only');
END;
