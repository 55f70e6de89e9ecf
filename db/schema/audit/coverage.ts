/** What verifications have covered. */
import type { ColumnKit } from '../columns.ts'

export function defineCoverageTables(kit: ColumnKit) {
  const { table, id, text, timestamp } = kit

  /** What runs of a verification have covered, and found nothing. */
  const verificationCoverage = table('verification_coverage', {
    /** `verify-ledger` or `verify-quests`. */
    command: id().primaryKey(),
    /** The start of the last run, or of the first part of a run, after which everything older is verified. Null: not everything is. */
    verifiedAt: timestamp(),
    /** JSON: the parts of a run that are verified, and the fans of each part. */
    parts: text(),
    /** When the past of a fan was last archived or restored. */
    pastChangedAt: timestamp(),
  })

  return { verificationCoverage }
}
