/** Fans' scores on boards, written together with the rank index. The caller has locked the fan's points account. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { deleteRows, insertRows } from '../../../../db/bulk.ts'
import { byName, rowOfEach } from '../../../../db/first-of-each.ts'
import type { Reader, Tables, Transaction } from '../../../../db/index.ts'
import { rowsByKeys } from '../../../../db/keys.ts'
import { eachRow } from '../../../../db/keyset.ts'
import { prepared } from '../../../../db/prepared.ts'
import { boardTag } from '../../../platform/cache/tags.ts'
import { type BoardScore, moveMembers } from './rank-index.ts'

/** Replaces a fan's scores, and updates the rank index: a board that is only in `before` loses the fan. */
export async function writeScores(
  tx: Transaction,
  userId: string,
  before: BoardScore[],
  after: BoardScore[],
): Promise<void> {
  const own = (scores: BoardScore[]) => scores.map(score => ({ userId, ...score }))
  await writeManyScores(tx, own(before), own(after))
}

export type FanScore = BoardScore & { userId: string }
type ScoreRow = Tables['leaderboardScores']['$inferSelect']

const rowOf = ({ board, userId, points, reachedAt }: FanScore): ScoreRow => {
  return { board, userId, minusPoints: -points, reachedAt }
}

/** Negating zero would give -0. */
export const scoreOf = ({ board, minusPoints, reachedAt }: ScoreRow): BoardScore => {
  return { board, points: minusPoints === 0 ? 0 : -minusPoints, reachedAt }
}

/** As `writeScores` for many fans. */
export async function writeManyScores(tx: Transaction, before: FanScore[], after: FanScore[]): Promise<void> {
  const { leaderboardScores: scores } = tx.tables
  const nameOf = ({ board, userId }: FanScore) => `${board} ${userId}`
  const kept = new Set(after.map(nameOf))
  const left = before.filter(score => !kept.has(nameOf(score)))
  await deleteRows(tx, scores, left.map(rowOf))
  const rows = after.map(rowOf)
  if (rows.length > 0 && rows.length <= FEW) await upsertFew(tx, rows)
  else await insertRows(tx, scores, rows, { set: ['minusPoints', 'reachedAt'] })
  for (const board of new Set([...before, ...after].map(({ board }) => board))) tx.invalidate(boardTag(board))
  moveMembers(tx, before, after)
}

/** As many as the boards of a fan: each number of rows is a prepared statement. Others are built for each use. */
const FEW = 6

const upsertFew = prepared((tx: Transaction, rows: ScoreRow[]) => {
  const { leaderboardScores: scores } = tx.tables
  return tx
    .insert(scores)
    .values(rows)
    .onConflictDoUpdate({
      target: [scores.board, scores.userId],
      set: { minusPoints: sql`excluded.minus_points`, reachedAt: sql`excluded.reached_at` },
    })
})

/** The scores of fans on some boards. */
export async function readManyScores(
  reader: Reader,
  userIds: string[],
  boards: string[],
): Promise<FanScore[]> {
  return readScoresNamed(
    reader,
    userIds.flatMap(userId => boards.map(board => ({ board, userId }))),
  )
}

/** As `readManyScores`, of other boards for each fan. Each is named once. */
export async function readScoresNamed(
  reader: Reader,
  keys: { board: string; userId: string }[],
): Promise<FanScore[]> {
  const rows = await selectByFan(reader, keys)
  return rows.map(row => ({ userId: row.userId, ...scoreOf(row) }))
}

const selectByFan = rowsByKeys('leaderboardScores', ['board', 'userId'])

/** A fan's scores on some boards. */
export async function readScores(reader: Reader, userId: string, boards: string[]): Promise<BoardScore[]> {
  return (await selectScores(reader, userId, boards)).map(scoreOf)
}

const selectScores = prepared((reader: Reader, userId: string, boards: string[]) => {
  const { leaderboardScores: scores } = reader.tables
  return reader
    .select()
    .from(scores)
    .where(and(eq(scores.userId, userId), inArray(scores.board, boards)))
})

/**
 * SQL for the scores of fans, as look-ups in a larger statement: an expression for FROM of the rows of `outer`, each with the score that
 * the condition finds, and its columns, which are null without one.
 */
export function lookUpScores(
  { tables }: Pick<Reader, 'tables'>,
  outer: SQL,
  { board, userId }: { board: SQL; userId: SQL },
) {
  const score = byName(tables.leaderboardScores)
  const isOwn = sql`${score.board} = ${board} and ${score.userId} = ${userId}`
  const { minusPoints, reachedAt } = score
  return { from: rowOfEach(outer, tables.leaderboardScores, isOwn), minusPoints, reachedAt }
}

/** Ids of the boards that have scores or buckets, found by an index lookup each. */
export async function listBoards(reader: Reader): Promise<string[]> {
  const { leaderboardScores, leaderboardCounts } = reader.tables
  const boards = new Set<string>()
  for (const table of [leaderboardScores, leaderboardCounts]) {
    const { board } = table
    const rows = eachRow({ board }, after => reader.select({ board }).from(table).where(after), { size: 1 })
    for await (const { board } of rows) boards.add(board)
  }
  return [...boards]
}
