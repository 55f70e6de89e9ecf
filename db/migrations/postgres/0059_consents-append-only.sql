CREATE FUNCTION consents_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'consents is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER consents_refuse_update_or_delete BEFORE UPDATE OR DELETE ON consents
	FOR EACH ROW EXECUTE FUNCTION consents_refuse_change();
--> statement-breakpoint
CREATE TRIGGER consents_refuse_truncate BEFORE TRUNCATE ON consents
	FOR EACH STATEMENT EXECUTE FUNCTION consents_refuse_change();
