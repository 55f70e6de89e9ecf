CREATE TRIGGER cash_entries_refuse_update BEFORE UPDATE ON cash_entries
BEGIN
	SELECT RAISE(ABORT, 'cash_entries is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER cash_entries_refuse_delete BEFORE DELETE ON cash_entries
BEGIN
	SELECT RAISE(ABORT, 'cash_entries is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: an entry that exists is never written again.
CREATE TRIGGER cash_entries_refuse_replace BEFORE INSERT ON cash_entries
WHEN EXISTS (SELECT 1 FROM cash_entries WHERE id = NEW.id)
	OR EXISTS (
		SELECT 1 FROM cash_entries
		WHERE user_id = NEW.user_id AND currency = NEW.currency AND seq = NEW.seq
	)
	OR EXISTS (SELECT 1 FROM cash_entries WHERE user_id = NEW.user_id AND reason = NEW.reason AND ref = NEW.ref)
BEGIN
	SELECT RAISE(ABORT, 'cash_entries is append-only');
END;
