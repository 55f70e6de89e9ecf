CREATE TRIGGER catalogue_revisions_refuse_update BEFORE UPDATE ON catalogue_revisions
BEGIN
	SELECT RAISE(ABORT, 'catalogue_revisions is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER catalogue_revisions_refuse_delete BEFORE DELETE ON catalogue_revisions
BEGIN
	SELECT RAISE(ABORT, 'catalogue_revisions is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a row that exists is never written again.
CREATE TRIGGER catalogue_revisions_refuse_replace BEFORE INSERT ON catalogue_revisions
WHEN EXISTS (
	SELECT 1 FROM catalogue_revisions
	WHERE kind = NEW.kind AND entry_id = NEW.entry_id AND revision = NEW.revision
)
BEGIN
	SELECT RAISE(ABORT, 'catalogue_revisions is append-only');
END;
