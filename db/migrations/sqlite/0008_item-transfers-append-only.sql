CREATE TRIGGER item_transfers_refuse_update BEFORE UPDATE ON item_transfers
BEGIN
	SELECT RAISE(ABORT, 'item_transfers is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER item_transfers_refuse_delete BEFORE DELETE ON item_transfers
BEGIN
	SELECT RAISE(ABORT, 'item_transfers is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a link that exists is never written again.
CREATE TRIGGER item_transfers_refuse_replace BEFORE INSERT ON item_transfers
WHEN EXISTS (
	SELECT 1 FROM item_transfers WHERE collectible_id = NEW.collectible_id
		AND serial_number = NEW.serial_number AND sequence = NEW.sequence
)
BEGIN
	SELECT RAISE(ABORT, 'item_transfers is append-only');
END;
