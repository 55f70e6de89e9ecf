/** What staff may run in the background, by name: see `kinds.ts`. */

/** By the command that does the same. */
const IMPORTS = ['import-catalog', 'import-events', 'import-fans'] as const
export type ImportKind = (typeof IMPORTS)[number]

/** One of them runs at a time: each reads everything. */
export const VERIFICATIONS = ['verify-ledger', 'verify-quests', 'verify-provenance'] as const

const JOBS = [...VERIFICATIONS, 'replay-webhooks', ...IMPORTS, 'backup'] as const
export type JobKind = (typeof JOBS)[number]
