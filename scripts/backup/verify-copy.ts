/** Verifies a copy of a database. */
import { DatabaseError } from '../../db/index.ts'
import { type Inspection, inspectSqlite, openSqliteCopy } from '../../db/sqlite/copy.ts'
import { commandLine } from '../../src/core/command-line.ts'
import { realSources } from '../../src/core/sources.ts'
import type { Finding } from '../../src/operate/admin/audit/audit-fan.ts'
import { verifyLedger } from '../../src/operate/admin/audit/verify-ledger.ts'
import { fail } from '../command/explain.ts'
import type { Progress } from '../command/progress.ts'
import { describeFinding } from '../verify-ledger/describe-finding.ts'

export interface VerifiedCopy extends Inspection {
  /** The digest of `verify-ledger`; null for another schema version, of which only the file is checked. */
  ledgerDigest: string | null
}

/**
 * Verifies a copy after a backup and before a restore: first the file, then the ledger in it. Fails with the first
 * fault.
 */
export async function verifyCopy(path: string, progress: Progress): Promise<VerifiedCopy> {
  const inspection = inspect(path)
  const [fault] = inspection.faults
  if (fault) fail(`${path} is damaged: ${fault}.`)
  if (inspection.migrations === 0) fail(`${path} is not a database of Matchday.`)
  return { ...inspection, ledgerDigest: inspection.current ? await verifyLedgerOf(path, progress) : null }
}

function inspect(path: string): Inspection {
  try {
    return inspectSqlite(path)
  } catch (error) {
    if (error instanceof DatabaseError && error.fault === 'corrupt')
      fail(`${path} is not an intact SQLite database.`)
    throw error
  }
}

async function verifyLedgerOf(path: string, progress: Progress): Promise<string> {
  const copy = openSqliteCopy(path, realSources)
  const findings: Finding[] = []
  try {
    const { digest } = await verifyLedger(
      // The inspection found no damage.
      { ...copy, findDamage: async () => [] },
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
        `The ledger in ${path} is inconsistent: ${describeFinding(first)}.\n\`${commandLine('verify-ledger')}\` lists all findings.`,
      )
    }
    return digest
  } finally {
    progress.end()
    copy.close()
  }
}

/** An enrolment without a hash, from before hashes were stored; `backfill-profiles` adds it. */
const isGap = ({ what, actual }: Finding) => what === 'leaderboard_entries.hash' && actual === null

export const describeLedger = (digest: string | null) =>
  digest === null
    ? `Its ledger has another schema version: run \`${commandLine('verify-ledger')}\` after migrating it.`
    : `Ledger digest ${digest}`
