/** Whether a copy of a database can be relied on. */
import { DatabaseError } from '../../db/index.ts'
import { type Inspection, inspectSqlite, openSqliteCopy } from '../../db/sqlite/copy.ts'
import type { Finding } from '../../src/admin/audit/audit-fan.ts'
import { verifyLedger } from '../../src/admin/audit/verify-ledger.ts'
import { realSources } from '../../src/core/sources.ts'
import { fail } from '../command/explain.ts'
import type { Progress } from '../command/progress.ts'
import { describeFinding } from '../verify-ledger/describe-finding.ts'

export interface VerifiedCopy extends Inspection {
  /** As `verify-ledger` has it; null when the copy is of another version's schema, and only the file was checked. */
  ledgerDigest: string | null
}

/**
 * The one place where a copy is judged, after a backup and before a restore: what the file itself says, then what our
 * own rules say of its content. Fails with the first fault.
 */
export async function verifyCopy(path: string, progress: Progress): Promise<VerifiedCopy> {
  const inspection = inspect(path)
  const [fault] = inspection.faults
  if (fault) fail(`${path} is damaged: ${fault}.`)
  if (inspection.migrations === 0) fail(`${path} is no database of Matchday.`)
  return { ...inspection, ledgerDigest: inspection.current ? await verifyLedgerOf(path, progress) : null }
}

function inspect(path: string): Inspection {
  try {
    return inspectSqlite(path)
  } catch (error) {
    if (error instanceof DatabaseError && error.fault === 'corrupt')
      fail(`${path} is no sound SQLite database.`)
    throw error
  }
}

async function verifyLedgerOf(path: string, progress: Progress): Promise<string> {
  const copy = openSqliteCopy(path, realSources)
  const findings: Finding[] = []
  try {
    const { digest } = await verifyLedger(
      // The inspection has found none.
      { read: copy.read, findDamage: async () => [] },
      {
        onProgress: progress,
        onFinding(finding) {
          if (!isGap(finding) && findings.length === 0) findings.push(finding)
        },
      },
    )
    const [first] = findings
    if (first) {
      fail(
        `${path} holds a ledger that contradicts itself: ${describeFinding(first)}.\n\`bun run verify-ledger\` names everything.`,
      )
    }
    return digest
  } finally {
    progress.end()
    copy.close()
  }
}

/** An enrolment from before its hash was kept: `backfill-profiles` fills it in, and nothing contradicts anything. */
const isGap = ({ what, actual }: Finding) => what === 'leaderboard_entries.hash' && actual === null

export const describeLedger = (digest: string | null) =>
  digest === null
    ? 'Its ledger is of another schema: `bun run verify-ledger` checks it once it has been brought up.'
    : `Ledger digest ${digest}`
