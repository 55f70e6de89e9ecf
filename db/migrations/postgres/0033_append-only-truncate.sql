-- As of the points ledger: TRUNCATE fires no trigger of rows.
CREATE TRIGGER moderation_decisions_refuse_truncate BEFORE TRUNCATE ON moderation_decisions
	FOR EACH STATEMENT EXECUTE FUNCTION moderation_decisions_refuse_change();
--> statement-breakpoint
CREATE TRIGGER item_transfers_refuse_truncate BEFORE TRUNCATE ON item_transfers
	FOR EACH STATEMENT EXECUTE FUNCTION item_transfers_refuse_change();
--> statement-breakpoint
CREATE TRIGGER cash_entries_refuse_truncate BEFORE TRUNCATE ON cash_entries
	FOR EACH STATEMENT EXECUTE FUNCTION cash_entries_refuse_change();
--> statement-breakpoint
CREATE TRIGGER console_audit_refuse_truncate BEFORE TRUNCATE ON console_audit
	FOR EACH STATEMENT EXECUTE FUNCTION console_audit_refuse_change();
--> statement-breakpoint
CREATE TRIGGER catalogue_revisions_refuse_truncate BEFORE TRUNCATE ON catalogue_revisions
	FOR EACH STATEMENT EXECUTE FUNCTION catalogue_revisions_refuse_change();
