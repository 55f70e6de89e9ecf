-- Points are never sold: no payment gives points, and a refund returns points only of a price in points.
CREATE TRIGGER points_entries_refuse_sale BEFORE INSERT ON points_entries
WHEN NEW.delta > 0 AND CASE
	WHEN NEW.reason IN ('pack_purchase', 'order_payment', 'top_up', 'top_up_refund') THEN 1
	WHEN NEW.reason = 'pack_refund' THEN EXISTS (
		SELECT 1 FROM pack_purchases WHERE id = NEW.ref AND price_currency <> 'POINTS')
	-- The ref of a part is `ORDER:NUMBER`.
	WHEN NEW.reason = 'order_refund' THEN EXISTS (
		SELECT 1 FROM orders WHERE id = substr(NEW.ref, 1, instr(NEW.ref || ':', ':') - 1) AND price_currency <> 'POINTS')
	ELSE 0
END
BEGIN
	SELECT RAISE(ABORT, 'points are not sold');
END;
