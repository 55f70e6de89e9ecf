CREATE TRIGGER consents_refuse_update BEFORE UPDATE ON consents
BEGIN
	SELECT RAISE(ABORT, 'consents is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER consents_refuse_delete BEFORE DELETE ON consents
BEGIN
	SELECT RAISE(ABORT, 'consents is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a row that exists is never written again.
CREATE TRIGGER consents_refuse_replace BEFORE INSERT ON consents
WHEN EXISTS (SELECT 1 FROM consents WHERE user_id = NEW.user_id AND purpose = NEW.purpose AND seq = NEW.seq)
BEGIN
	SELECT RAISE(ABORT, 'consents is append-only');
END;
