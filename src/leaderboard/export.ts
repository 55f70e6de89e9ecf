import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'

/** A fan's points on each board. */
export async function exportScores(reader: Reader, userId: string) {
  const { leaderboardScores: scores } = reader.tables
  const rows = await reader.select().from(scores).where(eq(scores.userId, userId)).orderBy(asc(scores.board))
  return rows.map(({ board, minusPoints, reachedAt }) => {
    return { board, points: -minusPoints, reachedAt: new Date(reachedAt) }
  })
}
