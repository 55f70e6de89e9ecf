/** Puts a fan's account, enrolment and places back to what follows from their entries; the entries are never touched. */
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { boardTag } from '../../cache/tags.ts'
import { hashEnrolment } from '../../leaderboard/enrolment.ts'
import { listBoards, placeFan, readPlaces } from '../../leaderboard/rank-index/entries.ts'
import { moveCounts, type Place } from '../../leaderboard/rank-index/rank-index.ts'
import { holdAccount } from '../../points/ledger.ts'
import type { Finding } from './audit-fan.ts'
import { judgeFan } from './verify-ledger.ts'

export interface Repair {
  /** `broken`: the entries or the enrolment contradict themselves. Nothing was written, and nobody but a person can say what is true. */
  outcome: 'sound' | 'repaired' | 'broken'
  /** What was wrong before. */
  findings: Finding[]
  /** What the repair added to the account's balance; negative for what it took away. */
  balanceChange: number
}

/** Needs the user's row to exist. Counts follow the places that are put right; whether they were right before, see `repairCounts`. */
export async function repairFan(tx: Transaction, userId: string): Promise<Repair> {
  const looked = await judgeFan(tx, userId)
  if (looked.findings.length === 0) return { outcome: 'sound', findings: [], balanceChange: 0 }
  const { findings } = looked
  if (looked.broken) return { outcome: 'broken', findings, balanceChange: 0 }
  // Held from here on: what is read now stays until this unit of work has ended.
  const held = await holdAccount(tx, userId)
  const { broken, account, places } = await judgeFan(tx, userId)
  if (broken) return { outcome: 'broken', findings, balanceChange: 0 }
  const { pointsAccounts, leaderboardEntries } = tx.tables
  await tx.update(pointsAccounts).set(account).where(eq(pointsAccounts.userId, userId))
  const [enrolment] = await tx.select().from(leaderboardEntries).where(eq(leaderboardEntries.userId, userId))
  if (enrolment?.hash === null) {
    const hash = hashEnrolment(enrolment)
    await tx.update(leaderboardEntries).set({ hash }).where(eq(leaderboardEntries.userId, userId))
  }
  const before = await readPlaces(tx, userId, await listBoards(tx))
  await placeFan(tx, userId, shared(before, places), places)
  await leave(
    tx,
    userId,
    before.filter(place => !places.some(({ board }) => board === place.board)),
  )
  return { outcome: 'repaired', findings, balanceChange: account.balance - held.balance }
}

const shared = (before: Place[], after: Place[]) =>
  before.filter(place => after.some(({ board }) => board === place.board))

/** Takes a fan off boards on which they have no place. */
async function leave(tx: Transaction, userId: string, places: Place[]) {
  const { leaderboardScores: scores } = tx.tables
  for (const { board } of places) {
    await tx.delete(scores).where(and(eq(scores.userId, userId), eq(scores.board, board)))
    tx.invalidate(boardTag(board))
  }
  await moveCounts(tx, places, [])
}
