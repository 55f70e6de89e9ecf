/** What enrolled fans have earned on each board. The caller has locked the fan's points account. */
import type { Transaction } from '../../db/index.ts'
import { type Board, takesPart } from './boards.ts'
import { findEnrolment } from './enrolment.ts'
import { readScores, writeScores } from './rank-index/entries.ts'
import type { BoardScore } from './rank-index/rank-index.ts'

const NO_SCORE = { points: 0, reachedAt: 0 }

/** Adds earned points on those of `counting` in which the fan takes part. Does nothing for a fan who is not enrolled. */
export async function raiseScores(
  tx: Transaction,
  userId: string,
  { gained, at, boards: counting }: { gained: number; at: Date; boards: Board[] },
): Promise<void> {
  const enrolledAt = await findEnrolment(tx, userId)
  if (!enrolledAt) return
  const boards = counting.filter(board => takesPart(enrolledAt, board)).map(({ id }) => id)
  const before = await readScores(tx, userId, boards)
  // Enrolled without scores: `admin/audit/repair-fan.ts` computes all of them.
  if (!before.some(({ board }) => board === 'all')) return
  const after = boards.map(board =>
    raiseScore(
      board,
      before.find(score => score.board === board),
      { gained, at },
    ),
  )
  await writeScores(tx, userId, before, after)
}

/** A score after earning points. */
export function raiseScore(
  board: string,
  { points, reachedAt }: Omit<BoardScore, 'board'> = NO_SCORE,
  { gained, at }: { gained: number; at: Date },
): BoardScore {
  // The time never goes back, even when the clock does; it starts with the first points.
  const latest = points === 0 ? at.getTime() : Math.max(reachedAt, at.getTime())
  return { board, points: points + gained, reachedAt: latest }
}
