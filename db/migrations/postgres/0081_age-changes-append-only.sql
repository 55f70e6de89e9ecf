CREATE FUNCTION age_changes_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'age_changes is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER age_changes_refuse_update_or_delete BEFORE UPDATE OR DELETE ON age_changes
	FOR EACH ROW EXECUTE FUNCTION age_changes_refuse_change();
--> statement-breakpoint
CREATE TRIGGER age_changes_refuse_truncate BEFORE TRUNCATE ON age_changes
	FOR EACH STATEMENT EXECUTE FUNCTION age_changes_refuse_change();
