CREATE FUNCTION receipts_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'receipts is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER receipts_refuse_update_or_delete BEFORE UPDATE OR DELETE ON receipts
	FOR EACH ROW EXECUTE FUNCTION receipts_refuse_change();
--> statement-breakpoint
CREATE TRIGGER receipts_refuse_truncate BEFORE TRUNCATE ON receipts
	FOR EACH STATEMENT EXECUTE FUNCTION receipts_refuse_change();
