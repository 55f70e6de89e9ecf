/** Fans' places on boards, and the counts that follow them. The caller holds the fan's points account. */
import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { type PreparedValue, prepared, preparedWrite } from '../../../db/prepared.ts'
import { perLength } from '../../../db/statement-per-length.ts'
import { boardTag } from '../../cache/tags.ts'
import { type Numbered, numbered } from './bucket-writes.ts'
import { moveCounts, type Place } from './rank-index.ts'

/** Writes a fan's places on boards, and the counts with them. A place that is not in `after` stays. */
export async function placeFan(
  tx: Transaction,
  userId: string,
  before: Place[],
  after: Place[],
): Promise<void> {
  const scores = after.flatMap(({ board, points, reachedAt }) => [board, userId, -points, reachedAt])
  if (after.length > 0) await upsertScores(after.length)(tx, numbered(scores))
  for (const { board } of after) tx.invalidate(boardTag(board))
  await moveCounts(tx, before, after)
}

type Score = Tables['leaderboardScores']['$inferSelect']

const upsertScores = perLength(length =>
  preparedWrite<Numbered, unknown>((tx, value) => {
    const { leaderboardScores: scores } = tx.tables
    const rows = Array.from({ length }, (_, row) => ({
      board: value(String(4 * row)),
      userId: value(String(4 * row + 1)),
      minusPoints: value(String(4 * row + 2)),
      reachedAt: value(String(4 * row + 3)),
    }))
    return tx
      .insert(scores)
      .values(rows)
      .onConflictDoUpdate({
        target: [scores.board, scores.userId],
        set: { minusPoints: sql`excluded.minus_points`, reachedAt: sql`excluded.reached_at` },
      })
  }),
)

/** Where a fan stands on some boards, or on all. */
export async function readPlaces(reader: Reader, userId: string, boards?: string[]): Promise<Place[]> {
  const rows = await (boards
    ? selectScoresOn(boards.length)(reader, { ...Object.fromEntries(boards.entries()), userId })
    : selectScores(reader, { userId }))
  return rows.map(({ board, minusPoints, reachedAt }) => ({ board, points: -minusPoints, reachedAt }))
}

const selectScores = prepared<{ userId: string }, Score[]>((reader, value) => scoresOf(reader, value))

/** The boards go by their numbers. */
const selectScoresOn = perLength(length =>
  prepared<Record<string, string>, Score[]>((reader, value) => {
    const boards = Array.from({ length }, (_, index) => value(String(index)))
    return scoresOf(reader, value, inArray(reader.tables.leaderboardScores.board, boards))
  }),
)

function scoresOf(reader: Reader, value: PreparedValue<{ userId: string }>, only?: SQL) {
  const { leaderboardScores: scores } = reader.tables
  return reader
    .select()
    .from(scores)
    .where(and(eq(scores.userId, value('userId')), only))
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
