CREATE FUNCTION catalogue_revisions_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'catalogue_revisions is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER catalogue_revisions_refuse_update_or_delete BEFORE UPDATE OR DELETE ON catalogue_revisions
	FOR EACH ROW EXECUTE FUNCTION catalogue_revisions_refuse_change();
