-- Statements are append-only, but for the erasure of the facts.
CREATE FUNCTION moderation_statements_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		IF NEW.facts IS NULL AND NEW.decision_id = OLD.decision_id AND NEW.fan_id = OLD.fan_id
			AND NEW.automated = OLD.automated THEN
			RETURN NEW;
		END IF;
	END IF;
	RAISE EXCEPTION 'moderation_statements is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER moderation_statements_refuse_update_or_delete BEFORE UPDATE OR DELETE ON moderation_statements
	FOR EACH ROW EXECUTE FUNCTION moderation_statements_refuse_change();
--> statement-breakpoint
CREATE TRIGGER moderation_statements_refuse_truncate BEFORE TRUNCATE ON moderation_statements
	FOR EACH STATEMENT EXECUTE FUNCTION moderation_statements_refuse_change();
