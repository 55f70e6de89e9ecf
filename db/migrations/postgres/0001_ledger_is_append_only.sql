CREATE FUNCTION points_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'points_entries is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER points_entries_refuse_update_or_delete BEFORE UPDATE OR DELETE ON points_entries
	FOR EACH ROW EXECUTE FUNCTION points_entries_refuse_change();
--> statement-breakpoint
CREATE TRIGGER points_entries_refuse_truncate BEFORE TRUNCATE ON points_entries
	FOR EACH STATEMENT EXECUTE FUNCTION points_entries_refuse_change();
