/** Fans' places on boards, and the counts that follow them. The caller holds the fan's points account. */
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { boardTag } from '../../cache/tags.ts'
import { moveCounts, type Place } from './rank-index.ts'

/** Writes a fan's places on boards, and the counts with them. A place that is not in `after` stays. */
export async function placeFan(
  tx: Transaction,
  userId: string,
  before: Place[],
  after: Place[],
): Promise<void> {
  const scores = after.map(({ board, points, reachedAt }) => ({
    board,
    userId,
    minusPoints: -points,
    reachedAt,
  }))
  if (after.length > 0) await upsertScores(tx, scores)
  for (const { board } of after) tx.invalidate(boardTag(board))
  await moveCounts(tx, before, after)
}

type Score = Tables['leaderboardScores']['$inferSelect']

const upsertScores = prepared((tx: Transaction, rows: Score[]) => {
  const { leaderboardScores: scores } = tx.tables
  return tx
    .insert(scores)
    .values(rows)
    .onConflictDoUpdate({
      target: [scores.board, scores.userId],
      set: { minusPoints: sql`excluded.minus_points`, reachedAt: sql`excluded.reached_at` },
    })
})

/** Where a fan stands on some boards, or on all. */
export async function readPlaces(reader: Reader, userId: string, boards?: string[]): Promise<Place[]> {
  const rows = await selectScores(reader, userId, boards)
  return rows.map(({ board, minusPoints, reachedAt }) => ({ board, points: -minusPoints, reachedAt }))
}

const selectScores = prepared((reader: Reader, userId: string, boards?: string[]) => {
  const { leaderboardScores: scores } = reader.tables
  return reader
    .select()
    .from(scores)
    .where(and(eq(scores.userId, userId), boards && inArray(scores.board, boards)))
})

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
