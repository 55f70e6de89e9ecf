/** What enrolled fans have earned on each board. The caller has locked the fan's points account. */
import type { Reader, Transaction } from '../../db/index.ts'
import { type Board, takesPart } from './boards.ts'
import { findEnrolment, listEnrolments } from './enrolment.ts'
import { type FanScore, readManyScores, readScores, writeScores } from './rank-index/entries.ts'
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

/** As `raiseScores` for many fans, who earn different points at the same time: what `writeManyScores` needs. Each is in `earnings` once. */
export async function raisedScores(
  reader: Reader,
  earnings: { userId: string; gained: number }[],
  { at, boards }: { at: Date; boards: Board[] },
): Promise<{ before: FanScore[]; after: FanScore[] }> {
  if (earnings.length === 0) return { before: [], after: [] }
  const enrolments = await listEnrolments(
    reader,
    earnings.map(({ userId }) => userId),
  )
  const ids = boards.map(({ id }) => id)
  const found = await readManyScores(reader, [...enrolments.keys()], ids)
  const scoresOf = Map.groupBy(found, ({ userId }) => userId)
  const after = earnings.flatMap(({ userId, gained }) => {
    const enrolledAt = enrolments.get(userId)
    const scores = scoresOf.get(userId) ?? []
    if (!enrolledAt || !scores.some(({ board }) => board === 'all')) return []
    return boards
      .filter(board => takesPart(enrolledAt, board))
      .map(({ id }) => {
        const score = scores.find(({ board }) => board === id)
        return { userId, ...raiseScore(id, score, { gained, at }) }
      })
  })
  const raised = new Set(after.map(({ userId, board }) => `${userId} ${board}`))
  return { before: found.filter(({ userId, board }) => raised.has(`${userId} ${board}`)), after }
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
