-- Append-only, but for the erasure of what systems wrote as text.
CREATE FUNCTION age_changes_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		IF NEW.source IS NULL AND NEW.stated_by IS NULL AND NEW.user_id = OLD.user_id AND NEW.seq = OLD.seq
			AND NEW.age_band IS NOT DISTINCT FROM OLD.age_band AND NEW.assured_at = OLD.assured_at
			AND NEW.guardian_consent IS NOT DISTINCT FROM OLD.guardian_consent AND NEW.changed_at = OLD.changed_at THEN
			RETURN NEW;
		END IF;
	END IF;
	RAISE EXCEPTION 'age_changes is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER age_changes_refuse_update_or_delete BEFORE UPDATE OR DELETE ON age_changes
	FOR EACH ROW EXECUTE FUNCTION age_changes_refuse_change();
--> statement-breakpoint
CREATE TRIGGER age_changes_refuse_truncate BEFORE TRUNCATE ON age_changes
	FOR EACH STATEMENT EXECUTE FUNCTION age_changes_refuse_change();
