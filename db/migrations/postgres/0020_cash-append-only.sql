CREATE FUNCTION cash_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'cash_entries is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER cash_entries_refuse_update_or_delete BEFORE UPDATE OR DELETE ON cash_entries
	FOR EACH ROW EXECUTE FUNCTION cash_entries_refuse_change();
