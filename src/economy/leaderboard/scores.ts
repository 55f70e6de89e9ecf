/** What enrolled fans have earned on each board. The caller has locked the fan's points account. */
import type { Reader } from '../../../db/index.ts'
import { type Board, takesPart } from './boards.ts'
import { listEnrolments } from './enrolment.ts'
import { type FanScore, readManyScores } from './rank-index/entries.ts'
import type { BoardScore } from './rank-index/rank-index.ts'

const NO_SCORE = { points: 0, reachedAt: 0 }

/** What a fan earned by one entry. */
export interface Earned {
  userId: string
  gained: number
  /** The boards on which it counts. */
  boards: Board[]
}

/**
 * The scores of fans before and after they earn points, on the boards in which they take part: what `writeManyScores` needs.
 * None for fans who are not enrolled, or are enrolled without scores.
 */
export async function raisedScores(
  reader: Reader,
  earnings: Earned[],
  at: Date,
): Promise<{ before: FanScore[]; after: FanScore[] }> {
  const byFan = Map.groupBy(earnings, ({ userId }) => userId)
  const enrolments = await listEnrolments(reader, [...byFan.keys()])
  const boards = new Set(earnings.flatMap(({ boards }) => boards.map(({ id }) => id)))
  const found = await readManyScores(reader, [...enrolments.keys()], [...boards])
  const scoresOf = Map.groupBy(found, ({ userId }) => userId)
  const before: FanScore[] = []
  const after: FanScore[] = []
  for (const [userId, enrolledAt] of enrolments) {
    const scores = new Map<string, BoardScore>(scoresOf.get(userId)?.map(score => [score.board, score]))
    // `operate/admin/repair-fan.ts` computes all of them.
    if (!scores.has('all')) continue
    const raised = new Map<string, BoardScore>()
    for (const { gained, boards } of byFan.get(userId) ?? [])
      for (const board of boards) {
        if (!takesPart(enrolledAt, board)) continue
        raised.set(
          board.id,
          raiseScore(board.id, raised.get(board.id) ?? scores.get(board.id), { gained, at }),
        )
      }
    for (const [board, score] of raised) {
      const own = scores.get(board)
      if (own) before.push({ userId, ...own })
      after.push({ userId, ...score })
    }
  }
  return { before, after }
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
