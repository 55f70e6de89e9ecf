-- Decisions are append-only. Drizzle cannot declare triggers: this is written by hand.
CREATE FUNCTION moderation_decisions_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'moderation_decisions is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER moderation_decisions_refuse_update_or_delete BEFORE UPDATE OR DELETE ON moderation_decisions
	FOR EACH ROW EXECUTE FUNCTION moderation_decisions_refuse_change();
