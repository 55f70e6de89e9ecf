CREATE TRIGGER age_changes_refuse_update BEFORE UPDATE ON age_changes
BEGIN
	SELECT RAISE(ABORT, 'age_changes is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER age_changes_refuse_delete BEFORE DELETE ON age_changes
BEGIN
	SELECT RAISE(ABORT, 'age_changes is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a row that exists is never written again.
CREATE TRIGGER age_changes_refuse_replace BEFORE INSERT ON age_changes
WHEN EXISTS (SELECT 1 FROM age_changes WHERE user_id = NEW.user_id AND seq = NEW.seq)
BEGIN
	SELECT RAISE(ABORT, 'age_changes is append-only');
END;
