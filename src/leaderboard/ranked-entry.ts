/** Where one fan stands. */
import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { type PublicProfile, publicProfileColumns } from '../users/public-profile.ts'
import { fansAhead } from './rank-index/rank-index.ts'

export interface Standing {
  userId: string
  /** From 1. */
  rank: number
  points: number
  /** When they got to these points. */
  reachedAt: Date
}

/** With the fan's public profile. Null for a fan who has no place on the board. */
export async function readStanding(
  reader: Reader,
  board: string,
  userId: string,
): Promise<(Standing & PublicProfile) | null> {
  const [row] = await selectStanding(reader, { board, userId })
  if (!row) return null
  const { minusPoints, reachedAt, ...ranked } = row
  return { userId, ...ranked, points: -minusPoints, reachedAt: new Date(reachedAt) }
}

const selectStanding = prepared((reader: Reader, { board, userId }: { board: string; userId: string }) => {
  const { users, identities } = reader.tables
  const standing = rankedScore(reader, board, userId)
  const { minusPoints, reachedAt, rank } = standing
  return reader
    .select({ minusPoints, reachedAt, rank, ...publicProfileColumns(reader) })
    .from(standing)
    .innerJoin(users, eq(users.id, userId))
    .leftJoin(identities, eq(identities.userId, users.id))
})

/** A fan's place on a board, from the rank index; no row for a fan who has none. */
export function rankedScore(reader: Reader, board: string, userId: string) {
  const { leaderboardScores: scores } = reader.tables
  const ahead = fansAhead(reader, 'leaderboard_scores')
  return reader
    .select({
      minusPoints: scores.minusPoints,
      reachedAt: scores.reachedAt,
      rank: sql<number>`${ahead} + 1`.mapWith(Number).as('rank'),
    })
    .from(scores)
    .where(and(eq(scores.board, board), eq(scores.userId, userId)))
    .limit(1)
    .as('standing')
}
