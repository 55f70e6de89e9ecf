/** Fans' places on boards, and the counts that follow them. The caller holds the fan's points account. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { boardTopic } from '../views/topics.ts'
import { moveCounts, type Place } from './counts.ts'

/** Writes a fan's places on boards, and the counts with them. A place that is not in `after` stays. */
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

/** Where a fan stands on some boards, or on all. */
export async function readPlaces(reader: Reader, userId: string, boards?: string[]): Promise<Place[]> {
  const { leaderboardScores: scores } = reader.tables
  const rows = await reader
    .select()
    .from(scores)
    .where(and(eq(scores.userId, userId), boards && inArray(scores.board, boards)))
  return rows.map(({ board, minusPoints, reachedAt }) => ({ board, points: -minusPoints, reachedAt }))
}
