/** The jobs that staff can run in the background, by name: see `kinds.ts`. */

/** By the command that does the same. */
const IMPORTS = ['import-catalog', 'import-events', 'import-fans', 'import-memberships'] as const
export type ImportKind = (typeof IMPORTS)[number]

/** Only one of them runs at a time, since each reads everything. */
export const VERIFICATIONS = ['verify-ledger', 'verify-quests', 'verify-provenance'] as const

const JOBS = [...VERIFICATIONS, 'replay-webhooks', ...IMPORTS, 'backup'] as const
export type JobKind = (typeof JOBS)[number]
