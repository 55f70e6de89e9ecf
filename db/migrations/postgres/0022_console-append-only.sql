CREATE FUNCTION console_audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'console_audit is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER console_audit_refuse_update_or_delete BEFORE UPDATE OR DELETE ON console_audit
	FOR EACH ROW EXECUTE FUNCTION console_audit_refuse_change();
