/** The ranked entry of one fan. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { type BoardName, boardNameOf } from '../../identity/relations/board-names.ts'
import { leaderboardNameOf } from '../../identity/relations/visibility.ts'
import { mirrorOf } from '../../identity/users/mirror.ts'
import { publicProfileColumns } from '../../identity/users/public-profile.ts'
import { userOf } from '../../identity/users/users.ts'
import { memberCount, membersAhead } from './rank-index/rank-index.ts'

export interface RankedEntry {
  userId: string
  /** From 1. */
  rank: number
  points: number
  /** When the fan reached these points. */
  reachedAt: Date
}

/** With what boards show of the fan. Null for a fan who is not on the board. */
export async function readRankedEntry(
  reader: Reader,
  board: string,
  userId: string,
): Promise<(RankedEntry & { name: BoardName }) | null> {
  const [row] = await selectRankedEntry(reader, { board, userId })
  if (!row) return null
  const { minusPoints, reachedAt, rank, ...names } = row
  const name = boardNameOf({ userId, ...names })
  return { userId, rank, points: -minusPoints, reachedAt: new Date(reachedAt), name }
}

const selectRankedEntry = prepared((reader: Reader, { board, userId }: { board: string; userId: string }) => {
  const { leaderboardScores: scores } = reader.tables
  const ranked = reader
    .select({
      minusPoints: scores.minusPoints,
      reachedAt: scores.reachedAt,
      rank: rankFromIndex(reader).as('rank'),
    })
    .from(scores)
    .where(and(eq(scores.board, board), eq(scores.userId, userId)))
    .limit(1)
    .as('ranked_entry')
  const { minusPoints, reachedAt, rank } = ranked
  const user = userOf(reader, userId).as('user')
  const mirror = mirrorOf(reader, userId).as('mirror')
  return reader
    .select({
      minusPoints,
      reachedAt,
      rank,
      handle: user.handle,
      ...publicProfileColumns({ user, mirror }),
      leaderboardName: leaderboardNameOf(reader, user.id),
    })
    .from(ranked)
    .innerJoin(user, sql`true`)
    .leftJoin(mirror, sql`true`)
})

/** The places of a fan on some boards, with the number of fans on each. Boards without the fan are left out. */
export const readPlaces = prepared((reader: Reader, userId: string, boards: string[]) => {
  const { leaderboardScores: scores } = reader.tables
  return reader
    .select({
      board: scores.board,
      points: sql<number>`-${scores.minusPoints}`.mapWith(points => Math.abs(Number(points))),
      rank: rankFromIndex(reader),
      total: memberCount(reader, sql`leaderboard_scores.board`),
    })
    .from(scores)
    .where(and(inArray(scores.board, boards), eq(scores.userId, userId)))
})

/** SQL for a fan's rank on a board, as a part of a larger statement; null for a fan who is not on it. */
export function rankOf(reader: Reader, board: string, userId: string): SQL<number | null> {
  const { leaderboardScores: scores } = reader.tables
  const rank = reader
    .select({ rank: rankFromIndex(reader) })
    .from(scores)
    .where(and(eq(scores.board, board), eq(scores.userId, userId)))
  return sql<number | null>`${rank}`.mapWith(Number)
}

/** The rank of a row of `leaderboard_scores`. */
const rankFromIndex = (reader: Reader) =>
  sql<number>`${membersAhead(reader, 'leaderboard_scores')} + 1`.mapWith(Number)
