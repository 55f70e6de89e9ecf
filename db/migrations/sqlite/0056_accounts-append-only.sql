CREATE TRIGGER account_entries_refuse_update BEFORE UPDATE ON account_entries
BEGIN
	SELECT RAISE(ABORT, 'account_entries is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER account_entries_refuse_delete BEFORE DELETE ON account_entries
BEGIN
	SELECT RAISE(ABORT, 'account_entries is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: an entry that exists is never written again.
CREATE TRIGGER account_entries_refuse_replace BEFORE INSERT ON account_entries
WHEN EXISTS (SELECT 1 FROM account_entries WHERE id = NEW.id)
	OR EXISTS (
		SELECT 1 FROM account_entries
		WHERE user_id = NEW.user_id AND account_id = NEW.account_id AND seq = NEW.seq
	)
	OR EXISTS (SELECT 1 FROM account_entries WHERE user_id = NEW.user_id AND reason = NEW.reason AND ref = NEW.ref)
BEGIN
	SELECT RAISE(ABORT, 'account_entries is append-only');
END;
