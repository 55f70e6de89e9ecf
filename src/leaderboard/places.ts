/** Fans' places on boards, and the counts that follow them. The caller holds the fan's points account. */
import { and, asc, eq, gt, inArray } from 'drizzle-orm'
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

/** Ids of the boards that anybody is on, or that anybody is counted on: hops along an index from one to the next. */
export async function listBoards(reader: Reader): Promise<string[]> {
  const { leaderboardScores, leaderboardCounts } = reader.tables
  const boards = new Set<string>()
  for (const table of [leaderboardScores, leaderboardCounts]) {
    for (let last: string | undefined; ; ) {
      const [next] = await reader
        .select({ board: table.board })
        .from(table)
        .where(last === undefined ? undefined : gt(table.board, last))
        .orderBy(asc(table.board))
        .limit(1)
      if (!next) break
      last = next.board
      boards.add(last)
    }
  }
  return [...boards]
}
