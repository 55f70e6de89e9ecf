/** What enrolled fans have earned on each board. The caller holds the fan's points account: one write of a fan at a time. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { boardTopic } from '../views/topics.ts'
import { boardsAt } from './boards.ts'
import { moveCounts, type Place } from './counts.ts'

const NOWHERE = { points: 0, reachedAt: 0 }

/** Points that a fan has earned, on the boards that they count on. Nothing for a fan who has not enrolled. */
export async function raiseScores(
  tx: Transaction,
  userId: string,
  { gained, at }: { gained: number; at: Date },
): Promise<void> {
  const boards = boardsAt(at).map(({ id }) => id)
  const before = await readPlaces(tx, userId, boards)
  // Enrolment makes the row of the global board, so a fan without one takes no part.
  if (!before.some(({ board }) => board === 'all')) return
  const after = boards.map(board =>
    raisePlace(
      board,
      before.find(place => place.board === board),
      { gained, at },
    ),
  )
  await placeFan(tx, userId, before, after)
}

/** Where somebody gets on a board by earning. */
export function raisePlace(
  board: string,
  { points, reachedAt }: Omit<Place, 'board'> = NOWHERE,
  { gained, at }: { gained: number; at: Date },
): Place {
  // A clock that was set back makes nobody the first to get there; who had nothing got nowhere before.
  const latest = points === 0 ? at.getTime() : Math.max(reachedAt, at.getTime())
  return { board, points: points + gained, reachedAt: latest }
}

/** Writes a fan's places on boards, and the counts with them. */
export async function placeFan(
  tx: Transaction,
  userId: string,
  before: Place[],
  after: Place[],
): Promise<void> {
  const { leaderboardScores } = tx.tables
  for (const { board, points, reachedAt } of after) {
    const score = { minusPoints: -points, reachedAt }
    await tx
      .insert(leaderboardScores)
      .values({ board, userId, ...score })
      .onConflictDoUpdate({ target: [leaderboardScores.board, leaderboardScores.userId], set: score })
    tx.touch(boardTopic(board))
  }
  await moveCounts(tx, before, after)
}

/** Where a fan stands on some boards. */
export async function readPlaces(tx: Transaction, userId: string, boards: string[]): Promise<Place[]> {
  const { leaderboardScores: scores } = tx.tables
  const rows = await tx
    .select()
    .from(scores)
    .where(and(eq(scores.userId, userId), inArray(scores.board, boards)))
  return rows.map(({ board, minusPoints, reachedAt }) => ({ board, points: -minusPoints, reachedAt }))
}
