-- Points are never sold: no payment gives points, and a refund returns points only of a price in points.
CREATE FUNCTION points_entries_refuse_sale() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	is_sale boolean := true;
BEGIN
	IF NEW.reason = 'pack_refund' THEN
		EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.pack_purchases WHERE id = $1 AND price_currency <> ''POINTS'')', TG_TABLE_SCHEMA)
			INTO is_sale USING NEW.ref;
	ELSIF NEW.reason = 'order_refund' THEN
		-- The ref of a part is `ORDER:NUMBER`.
		EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.orders WHERE id = $1 AND price_currency <> ''POINTS'')', TG_TABLE_SCHEMA)
			INTO is_sale USING split_part(NEW.ref, ':', 1);
	END IF;
	IF is_sale THEN
		RAISE EXCEPTION 'points are not sold';
	END IF;
	RETURN NEW;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER points_entries_refuse_sale BEFORE INSERT ON points_entries
	FOR EACH ROW WHEN (NEW.delta > 0 AND NEW.reason IN ('pack_purchase', 'pack_refund', 'order_payment', 'order_refund', 'top_up', 'top_up_refund'))
	EXECUTE FUNCTION points_entries_refuse_sale();
