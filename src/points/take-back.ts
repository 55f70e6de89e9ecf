/** Takes back points that a rule granted for an event that was voided, or that a prediction earned by a result that was corrected. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { earliestStart, isFinal, takesPart } from '../leaderboard/boards.ts'
import { findEnrolment } from '../leaderboard/enrolment.ts'
import { readScores, writeScores } from '../leaderboard/rank-index/entries.ts'
import { earnedScores } from './earned-scores.ts'
import { bookEntry, lockAccount } from './ledger.ts'
import { type Booked, boardsFor, type GrantReason, type VoidReason, voidReasonOf } from './reasons.ts'

export interface TakenBack {
  /** Points that were taken: at most the balance. */
  points: number
  /** Points of the grant that the fan has already spent. */
  uncollected: number
}

/** The entry of a grant. */
interface Grant {
  userId: string
  reason: GrantReason
  ref: string
}

/**
 * Takes back a grant once, by an entry with the same `ref`; takes nothing if the grant does not exist.
 * Lifetime points fall by what is taken, and so does each board on which the grant counted and that is not final. There
 * `reachedAt` becomes the time of the fan's latest earning that remains, as if the grant had never been made.
 * If the balance is zero, no entry is written, and a later call may take: the caller makes one call per void.
 * @throws LedgerMismatchError
 */
export async function takeBack(tx: Transaction, { userId, reason, ref }: Grant): Promise<TakenBack> {
  const { balance } = await lockAccount(tx, userId)
  // A separate statement after the lock: see `appendEntry`.
  const entries = await selectGrant(tx, { userId, reason, ref, voidReason: voidReasonOf(reason) })
  const granted = entries.find(entry => entry.reason === reason)
  if (!granted) return { points: 0, uncollected: 0 }
  const before = entries.find(entry => entry.reason !== reason)
  const points = before ? -before.delta : Math.min(granted.delta, balance)
  if (!before && points > 0) {
    await bookEntry(tx, { userId, delta: -points, reason: voidReasonOf(reason), ref })
    const booked = { reason, ref, at: granted.createdAt }
    await lowerScores(tx, userId, booked, { points, whole: points === granted.delta })
  }
  return { points, uncollected: granted.delta - points }
}

const selectGrant = prepared((reader: Reader, grant: Grant & { voidReason: VoidReason }) => {
  const { pointsEntries: entries } = reader.tables
  return reader
    .select({ reason: entries.reason, delta: entries.delta, createdAt: entries.createdAt })
    .from(entries)
    .where(
      and(
        eq(entries.userId, grant.userId),
        eq(entries.ref, grant.ref),
        inArray(entries.reason, [grant.reason, grant.voidReason]),
      ),
    )
})

/** Lowers the scores on the boards of a grant that are not final. `whole`: nothing of the grant remains. */
async function lowerScores(
  tx: Transaction,
  userId: string,
  booked: Booked,
  { points, whole }: { points: number; whole: boolean },
): Promise<void> {
  const enrolledAt = await findEnrolment(tx, userId)
  if (!enrolledAt) return
  const boards = boardsFor(booked).filter(board => takesPart(enrolledAt, board) && !isFinal(board, tx.now()))
  const ids = boards.map(({ id }) => id)
  const before = await readScores(tx, userId, ids)
  // As in `raiseScores`: enrolled without scores.
  if (!before.some(({ board }) => board === 'all')) return
  let after = before.map(score => ({ ...score, points: score.points - points }))
  // Otherwise other earnings determine `reachedAt`, and it stays.
  if (whole && before.some(({ reachedAt }) => reachedAt <= booked.at.getTime())) {
    const earned = await earnedScores(tx, userId, { enrolledAt, since: earliestStart(boards, tx.now()) })
    after = earned.filter(({ board }) => ids.includes(board))
  }
  await writeScores(tx, userId, before, after)
}
