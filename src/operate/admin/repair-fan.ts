/** Recomputes a fan's account, enrolment and scores from their ledger entries, which are never changed. */
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { checkFan } from '../../audit/points/verify-points.ts'
import type { Finding } from '../../core/finding.ts'
import { hashEnrolment } from '../../economy/leaderboard/enrolment.ts'
import { listBoards, readScores, writeScores } from '../../economy/leaderboard/rank-index/entries.ts'
import { lockAccount } from '../../economy/points/account.ts'

export interface Repair {
  /** `broken`: the entries or the enrolment contradict themselves. Nothing was written; the operator must decide. */
  outcome: 'sound' | 'repaired' | 'broken'
  /** What was wrong before the repair. */
  findings: Finding[]
  /** The change of the account's balance by the repair; may be negative. */
  balanceChange: number
}

/**
 * Requires that the row of the user exists. Updates the rank index together with the scores; buckets that were already wrong
 * need `repairBucket`.
 */
export async function repairFan(tx: Transaction, userId: string): Promise<Repair> {
  const found = await checkFan(tx, userId)
  if (found.findings.length === 0) return { outcome: 'sound', findings: [], balanceChange: 0 }
  const { findings } = found
  if (found.broken) return { outcome: 'broken', findings, balanceChange: 0 }
  // The account is locked: the rows read from here on do not change until this unit of work ends.
  const locked = await lockAccount(tx, userId)
  const { broken, account, scores } = await checkFan(tx, userId)
  if (broken) return { outcome: 'broken', findings, balanceChange: 0 }
  const { pointsAccounts, leaderboardEntries } = tx.tables
  const { countedFrom } = locked
  await tx
    .update(pointsAccounts)
    .set({ ...account, countedFrom })
    .where(eq(pointsAccounts.userId, userId))
  const [enrolment] = await tx.select().from(leaderboardEntries).where(eq(leaderboardEntries.userId, userId))
  if (enrolment?.hash === null) {
    const hash = hashEnrolment(enrolment)
    await tx.update(leaderboardEntries).set({ hash }).where(eq(leaderboardEntries.userId, userId))
  }
  await writeScores(tx, userId, await readScores(tx, userId, await listBoards(tx)), scores)
  return { outcome: 'repaired', findings, balanceChange: account.balance - locked.balance }
}
