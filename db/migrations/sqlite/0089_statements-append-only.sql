-- Statements are append-only, but for the erasure of the facts.
CREATE TRIGGER moderation_statements_refuse_update BEFORE UPDATE ON moderation_statements
WHEN NEW.facts IS NOT NULL OR NEW.decision_id <> OLD.decision_id OR NEW.fan_id <> OLD.fan_id
	OR NEW.automated <> OLD.automated
BEGIN
	SELECT RAISE(ABORT, 'moderation_statements is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER moderation_statements_refuse_delete BEFORE DELETE ON moderation_statements
BEGIN
	SELECT RAISE(ABORT, 'moderation_statements is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a row that exists is never written again.
CREATE TRIGGER moderation_statements_refuse_replace BEFORE INSERT ON moderation_statements
WHEN EXISTS (SELECT 1 FROM moderation_statements WHERE decision_id = NEW.decision_id)
BEGIN
	SELECT RAISE(ABORT, 'moderation_statements is append-only');
END;
