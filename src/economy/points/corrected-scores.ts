/** The scores of many fans after points were taken back, computed from their ledgers. */
import type { Transaction } from '../../../db/index.ts'
import { earliestStart, isFinal } from '../leaderboard/boards.ts'
import { listEnrolments } from '../leaderboard/enrolment.ts'
import { type FanScore, readManyScores } from '../leaderboard/rank-index/entries.ts'
import { listEarnedScores } from './earned-scores.ts'
import { type Booked, boardsFor } from './reasons.ts'

/**
 * Computed for the boards of these entries, except final ones. The entries and what was taken back of them are written. As
 * `writeManyScores` needs it.
 */
export async function correctedScores(
  tx: Transaction,
  userIds: string[],
  entries: Booked[],
): Promise<{ before: FanScore[]; after: FanScore[] }> {
  if (userIds.length === 0) return { before: [], after: [] }
  const now = tx.now()
  const boards = entries.flatMap(boardsFor).filter(board => !isFinal(board, now))
  const open = new Map(boards.map(board => [board.id, board]))
  const found = await readManyScores(tx, userIds, [...open.keys()])
  // As in `raiseScores`: others are not enrolled, or enrolled without scores.
  const ranked = new Set(found.filter(({ board }) => board === 'all').map(({ userId }) => userId))
  const enrolments = await listEnrolments(tx, [...ranked])
  const earned = await listEarnedScores(tx, enrolments, earliestStart(boards, now))
  return {
    before: found.filter(({ userId }) => enrolments.has(userId)),
    after: earned.filter(({ board }) => open.has(board)),
  }
}
