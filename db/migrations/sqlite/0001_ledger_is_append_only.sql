CREATE TRIGGER points_entries_refuse_update BEFORE UPDATE ON points_entries
BEGIN
	SELECT RAISE(ABORT, 'points_entries is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER points_entries_refuse_delete BEFORE DELETE ON points_entries
BEGIN
	SELECT RAISE(ABORT, 'points_entries is append-only');
END;
