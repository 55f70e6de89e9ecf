-- Append-only, but for the erasure of what systems wrote as text.
CREATE TRIGGER age_changes_refuse_update BEFORE UPDATE ON age_changes
WHEN NEW.source IS NOT NULL OR NEW.stated_by IS NOT NULL OR NEW.user_id IS NOT OLD.user_id OR NEW.seq IS NOT OLD.seq
	OR NEW.age_band IS NOT OLD.age_band OR NEW.assured_at IS NOT OLD.assured_at
	OR NEW.guardian_consent IS NOT OLD.guardian_consent OR NEW.changed_at IS NOT OLD.changed_at
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
