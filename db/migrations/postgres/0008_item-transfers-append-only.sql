CREATE FUNCTION item_transfers_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'item_transfers is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER item_transfers_refuse_update_or_delete BEFORE UPDATE OR DELETE ON item_transfers
	FOR EACH ROW EXECUTE FUNCTION item_transfers_refuse_change();
