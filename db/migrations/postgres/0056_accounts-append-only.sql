CREATE FUNCTION account_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'account_entries is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER account_entries_refuse_update_or_delete BEFORE UPDATE OR DELETE ON account_entries
	FOR EACH ROW EXECUTE FUNCTION account_entries_refuse_change();
--> statement-breakpoint
CREATE TRIGGER account_entries_refuse_truncate BEFORE TRUNCATE ON account_entries
	FOR EACH STATEMENT EXECUTE FUNCTION account_entries_refuse_change();
