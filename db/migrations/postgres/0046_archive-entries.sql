-- The archive deletes entries that are in its files, behind a seam that the same unit of work has opened.
CREATE OR REPLACE FUNCTION points_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	is_archived boolean;
BEGIN
	IF TG_OP = 'DELETE' THEN
		IF OLD.reason IN ('rule', 'rule_void') THEN
			EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.archive_seams WHERE user_id = $1 AND seq >= $2 AND NOT sealed)', TG_TABLE_SCHEMA)
				INTO is_archived USING OLD.user_id, OLD.seq;
			IF is_archived THEN
				RETURN OLD;
			END IF;
		END IF;
	END IF;
	RAISE EXCEPTION 'points_entries is append-only';
END;
$$;
