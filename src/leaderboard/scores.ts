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
  const after = raiseEach(boards, before, { gained, at })
  if (after.length > 0) await writeScores(tx, userId, before, after)
}

/** As `raiseScores` for many fans, who earn different points at the same time: what `writeManyScores` needs. Each is in `earnings` once. */
export async function raisedScores(
  reader: Reader,
  earnings: { userId: string; gained: number }[],
  { at, boards }: { at: Date; boards: Board[] },
): Promise<{ before: FanScore[]; after: FanScore[] }> {
  if (earnings.length === 0) return { before: [], after: [] }
  const userIds = earnings.map(({ userId }) => userId)
  const enrolments = await listEnrolments(reader, userIds)
  const ids = boards.map(({ id }) => id)
  const found = await readManyScores(reader, [...enrolments.keys()], ids)
  const scoresOf = Map.groupBy(found, ({ userId }) => userId)
  const after = earnings.flatMap(({ userId, gained }) => {
    const enrolledAt = enrolments.get(userId)
    if (!enrolledAt) return []
    const counting = boards.filter(board => takesPart(enrolledAt, board)).map(({ id }) => id)
    const raised = raiseEach(counting, scoresOf.get(userId) ?? [], { gained, at })
    return raised.map(score => ({ userId, ...score }))
  })
  const raised = new Set(after.map(({ userId, board }) => `${userId} ${board}`))
  return { before: found.filter(({ userId, board }) => raised.has(`${userId} ${board}`)), after }
}

/** A fan's scores on these boards after earning points. None for a fan who is enrolled without scores. */
function raiseEach(
  boards: string[],
  before: BoardScore[],
  earned: { gained: number; at: Date },
): BoardScore[] {
  const scores = new Map(before.map(score => [score.board, score]))
  // `admin/audit/repair-fan.ts` computes all of them.
  if (!scores.has('all')) return []
  return boards.map(board => raiseScore(board, scores.get(board), earned))
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
