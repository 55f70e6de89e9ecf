/** Verifies a copy of a database. */
import { BackupFault, DatabaseError } from '../../../../db/index.ts'
import { type Inspection, inspectSqlite, openSqliteCopy } from '../../../../db/sqlite/copy.ts'
import { verifyLedger } from '../../../audit/runs/verify-ledger.ts'
import { commandLine } from '../../../core/command-line.ts'
import type { Finding } from '../../../core/finding.ts'
import { describeFinding } from '../../../core/finding.ts'
import { realSources } from '../../../core/sources.ts'

/** Fans verified, of about `total`. */
export type OnVerified = (done: number, total: number) => void

export interface VerifiedCopy extends Inspection {
  /** The digest of `verify-ledger`; null for another schema version, where only the file is checked. */
  ledgerDigest: string | null
}

/**
 * Verifies a copy after a backup and before a restore: first the file, then the ledger in it.
 * @throws BackupFault with the first fault
 */
export async function verifyCopy(path: string, onVerified: OnVerified): Promise<VerifiedCopy> {
  const inspection = inspect(path)
  const [fault] = inspection.faults
  if (fault) throw new BackupFault(`${path} is damaged: ${fault}.`)
  if (inspection.migrations === 0) throw new BackupFault(`${path} is not a database of Matchday.`)
  return { ...inspection, ledgerDigest: inspection.current ? await verifyLedgerOf(path, onVerified) : null }
}

function inspect(path: string): Inspection {
  try {
    return inspectSqlite(path)
  } catch (error) {
    if (error instanceof DatabaseError && error.fault === 'corrupt')
      throw new BackupFault(`${path} is not an intact SQLite database.`)
    throw error
  }
}

async function verifyLedgerOf(path: string, onVerified: OnVerified): Promise<string> {
  const copy = openSqliteCopy(path, realSources)
  const findings: Finding[] = []
  try {
    const { digest } = await verifyLedger(
      // The inspection found no damage.
      { ...copy, findDamage: async () => [] },
      {
        onProgress: onVerified,
        onFinding(finding) {
          if (!isGap(finding) && findings.length === 0) findings.push(finding)
        },
      },
    )
    const [first] = findings
    if (first) {
      throw new BackupFault(
        `The ledger in ${path} is inconsistent: ${describeFinding(first)}.\n\`${commandLine('verify-ledger')}\` lists all findings.`,
      )
    }
    return digest
  } finally {
    copy.close()
  }
}

/** An enrolment without a hash, from before hashes were stored; `backfill-profiles` adds it. */
const isGap = ({ what, actual }: Finding) => what === 'leaderboard_entries.hash' && actual === null

export const describeLedger = (digest: string | null) =>
  digest === null
    ? `Its ledger was not verified, since its schema is of another version: \`${commandLine('verify-ledger')}\` of that version does.`
    : `Ledger digest ${digest}`
