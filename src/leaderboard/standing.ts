/** Where one fan stands. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { fansAhead } from './counts.ts'

export interface Standing {
  userId: string
  /** From 1. */
  rank: number
  points: number
  /** When they got to these points. */
  reachedAt: Date
}

/** Null for a fan who has no place on the board. */
export async function readStanding(reader: Reader, board: string, userId: string): Promise<Standing | null> {
  const [row] = await selectStanding(reader, { board, userId })
  if (!row) return null
  return { userId, rank: row.ahead + 1, points: -row.minusPoints, reachedAt: new Date(row.reachedAt) }
}

interface Scored {
  minusPoints: number
  reachedAt: number
  ahead: number
}

const selectStanding = prepared<{ board: string; userId: string }, Scored[]>((reader, value) => {
  const { leaderboardScores: scores } = reader.tables
  return reader
    .select({
      minusPoints: scores.minusPoints,
      reachedAt: scores.reachedAt,
      ahead: fansAhead(reader, 'leaderboard_scores'),
    })
    .from(scores)
    .where(and(eq(scores.board, value('board')), eq(scores.userId, value('userId'))))
})
