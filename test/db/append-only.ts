/** The tables that triggers keep append-only, in the order of their names. */
export const APPEND_ONLY = [
  'account_entries',
  'age_changes',
  'cash_entries',
  'catalogue_revisions',
  'consents',
  'console_audit',
  'item_transfers',
  'moderation_decisions',
  'moderation_statements',
  'points_entries',
  'receipts',
] as const
