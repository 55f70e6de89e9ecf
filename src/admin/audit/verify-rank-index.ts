/** Whether the counts of a board are what counting its scores gives. */
import { and, eq, notInArray, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { bucketLevels } from '../../leaderboard/rank-index/rank-index.ts'

export interface WrongCount {
  board: string
  level: number
  points: number
  reachedAt: number
  /** Zero for a bucket that should have no row. */
  expected: number
  /** Null where there is no row. */
  actual: number | null
}

/** Of one level; more may be wrong. */
const MOST = 1_000

/** One statement a level, and so one snapshot: what fans gain meanwhile is on both sides of it or on neither. */
export async function findWrongCounts(reader: Reader, board: string): Promise<WrongCount[]> {
  const { leaderboardCounts: counts, leaderboardScores: scores } = reader.tables
  const levels = bucketLevels(scores)
  const wrong: WrongCount[] = []
  for (const { level, points, reachedAt, only } of levels) {
    const rows = await reader
      .select({
        points: sql`bucket_points`.mapWith(Number),
        reachedAt: sql`bucket_reached_at`.mapWith(Number),
        expected: sql`sum(counted)`.mapWith(Number),
        actual: sql<number | null>`sum(kept)`.mapWith(Number),
      })
      .from(
        sql`(select ${counts.points} as bucket_points, ${counts.reachedAt} as bucket_reached_at, ${counts.fans} as kept, 0 as counted
            from ${counts} where ${eq(counts.board, board)} and ${counts.level} = ${sql.raw(String(level))}
          union all
          select ${points}, ${reachedAt}, null, count(*) from ${scores} where ${and(eq(scores.board, board), only)} group by 1, 2) as buckets`,
      )
      .groupBy(sql`bucket_points, bucket_reached_at`)
      .having(sql`sum(kept) is null or sum(kept) <> sum(counted) or sum(counted) = 0`)
      .orderBy(sql`bucket_points, bucket_reached_at`)
      .limit(MOST)
    for (const row of rows) wrong.push({ board, level, ...row })
  }
  const known = levels.map(({ level }) => level)
  const stray = await reader
    .select()
    .from(counts)
    .where(and(eq(counts.board, board), notInArray(counts.level, known)))
    .limit(MOST)
  return [...wrong, ...stray.map(({ fans, ...bucket }) => ({ ...bucket, expected: 0, actual: fans }))]
}
