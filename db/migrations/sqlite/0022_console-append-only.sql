CREATE TRIGGER console_audit_refuse_update BEFORE UPDATE ON console_audit
BEGIN
	SELECT RAISE(ABORT, 'console_audit is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER console_audit_refuse_delete BEFORE DELETE ON console_audit
BEGIN
	SELECT RAISE(ABORT, 'console_audit is append-only');
END;
--> statement-breakpoint
-- REPLACE deletes the old row without firing the trigger above: a row that exists is never written again.
CREATE TRIGGER console_audit_refuse_replace BEFORE INSERT ON console_audit
WHEN EXISTS (SELECT 1 FROM console_audit WHERE seq = NEW.seq)
BEGIN
	SELECT RAISE(ABORT, 'console_audit is append-only');
END;
