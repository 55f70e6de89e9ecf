CREATE TRIGGER receipts_refuse_update BEFORE UPDATE ON receipts
BEGIN
	SELECT RAISE(ABORT, 'receipts is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER receipts_refuse_delete BEFORE DELETE ON receipts
BEGIN
	SELECT RAISE(ABORT, 'receipts is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a receipt that exists is never written again.
CREATE TRIGGER receipts_refuse_replace BEFORE INSERT ON receipts
WHEN EXISTS (SELECT 1 FROM receipts WHERE series = NEW.series AND number = NEW.number)
	OR EXISTS (SELECT 1 FROM receipts WHERE kind = NEW.kind AND ref = NEW.ref)
BEGIN
	SELECT RAISE(ABORT, 'receipts is append-only');
END;
