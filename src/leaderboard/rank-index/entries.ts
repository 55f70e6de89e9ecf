/** Fans' scores on boards, written together with the rank index. The caller has locked the fan's points account. */
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { prepared } from '../../../db/prepared.ts'
import { boardTag } from '../../cache/tags.ts'
import { type BoardScore, moveMember } from './rank-index.ts'

/** Writes a fan's scores and updates the rank index. Boards that are not in `after` stay as they are. */
export async function writeScores(
  tx: Transaction,
  userId: string,
  before: BoardScore[],
  after: BoardScore[],
): Promise<void> {
  const scores = after.map(({ board, points, reachedAt }) => ({
    board,
    userId,
    minusPoints: -points,
    reachedAt,
  }))
  if (after.length > 0) await upsertScores(tx, scores)
  for (const { board } of after) tx.invalidate(boardTag(board))
  await moveMember(tx, before, after)
}

/** Removes a fan from boards. `left` are the fan's scores there. */
export async function removeFromBoards(tx: Transaction, userId: string, left: BoardScore[]): Promise<void> {
  const { leaderboardScores: scores } = tx.tables
  for (const { board } of left) {
    await tx.delete(scores).where(and(eq(scores.userId, userId), eq(scores.board, board)))
    tx.invalidate(boardTag(board))
  }
  await moveMember(tx, left, [])
}

type ScoreRow = Tables['leaderboardScores']['$inferSelect']

const upsertScores = prepared((tx: Transaction, rows: ScoreRow[]) => {
  const { leaderboardScores: scores } = tx.tables
  return tx
    .insert(scores)
    .values(rows)
    .onConflictDoUpdate({
      target: [scores.board, scores.userId],
      set: { minusPoints: sql`excluded.minus_points`, reachedAt: sql`excluded.reached_at` },
    })
})

/** A fan's scores on some boards, or on all. */
export async function readScores(reader: Reader, userId: string, boards?: string[]): Promise<BoardScore[]> {
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

/** Ids of the boards that have scores or buckets, found by an index lookup each. */
export async function listBoards(reader: Reader): Promise<string[]> {
  const { leaderboardScores, leaderboardCounts } = reader.tables
  const boards = new Set<string>()
  for (const table of [leaderboardScores, leaderboardCounts]) {
    const rows = eachRow(
      (after: string | undefined, limit) =>
        reader
          .select({ board: table.board })
          .from(table)
          .where(after === undefined ? undefined : gt(table.board, after))
          .orderBy(asc(table.board))
          .limit(limit),
      ({ board }) => board,
      { size: 1 },
    )
    for await (const { board } of rows) boards.add(board)
  }
  return [...boards]
}
