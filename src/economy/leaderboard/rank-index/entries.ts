/** Fans' scores on boards, written together with the rank index. The caller has locked the fan's points account. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { deleteRows, insertRows } from '../../../../db/bulk.ts'
import { byName, rowOfEach } from '../../../../db/first-of-each.ts'
import type { Reader, Tables, Transaction } from '../../../../db/index.ts'
import { rowsByKeys } from '../../../../db/keys.ts'
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

/** Ids of the boards that have scores or buckets, in one statement that looks up the next one in the indexes. */
export const listBoards = async (reader: Reader): Promise<string[]> =>
  (await selectBoards(reader)).map(({ board }) => board)

const selectBoards = prepared((reader: Reader) => {
  const { leaderboardScores: scores, leaderboardCounts: counts } = reader.tables
  const { board } = scores
  const nextOf = (
    after: SQL,
  ) => sql`(select case when scored is null or counted < scored then counted else scored end
    from (select (select min(${scores.board}) from ${scores} where ${after}) as scored,
      (select min(${counts.board}) from ${counts} where ${after}) as counted) found)`
  const known = reader.$with('boards', { board }).as(
    sql`with recursive known (board) as (select ${nextOf(sql`true`)}
        union all select ${nextOf(sql`board > known.board`)} from known where known.board is not null)
      select board from known where board is not null`,
  )
  return reader.with(known).select().from(known)
})
