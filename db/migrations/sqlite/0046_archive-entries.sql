-- The archive deletes entries that are in its files, behind a seam that the same unit of work has opened.
DROP TRIGGER points_entries_refuse_delete;
--> statement-breakpoint
CREATE TRIGGER points_entries_refuse_delete BEFORE DELETE ON points_entries
WHEN OLD.reason NOT IN ('rule', 'rule_void')
	OR NOT EXISTS (SELECT 1 FROM archive_seams WHERE user_id = OLD.user_id AND seq >= OLD.seq AND NOT sealed)
BEGIN
	SELECT RAISE(ABORT, 'points_entries is append-only');
END;
