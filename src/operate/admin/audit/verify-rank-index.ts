/** Compares the buckets of a board with a count of its scores. */
import { and, eq, notInArray, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { bucketLevels } from '../../../economy/leaderboard/rank-index/rank-index.ts'

export interface WrongBucket {
  board: string
  level: number
  points: number
  reachedAt: number
  /** Zero for a bucket that should have no row. */
  expected: number
  /** Null if there is no row. */
  actual: number | null
}

/** Maximum of findings per level. */
const MAX_FINDINGS = 1_000

/** One statement per level, and so one snapshot: concurrent changes are in both counts or in neither. */
export async function findWrongBuckets(reader: Reader, board: string): Promise<WrongBucket[]> {
  const { leaderboardCounts: buckets, leaderboardScores: scores } = reader.tables
  const levels = bucketLevels(scores)
  const wrong: WrongBucket[] = []
  for (const { level, points, reachedAt, only } of levels) {
    const rows = await reader
      .select({
        points: sql`bucket_points`.mapWith(Number),
        reachedAt: sql`bucket_reached_at`.mapWith(Number),
        expected: sql`sum(counted)`.mapWith(Number),
        actual: sql<number | null>`sum(kept)`.mapWith(Number),
      })
      .from(
        sql`(select ${buckets.points} as bucket_points, ${buckets.reachedAt} as bucket_reached_at, ${buckets.fans} as kept, 0 as counted
            from ${buckets} where ${eq(buckets.board, board)} and ${buckets.level} = ${sql.raw(String(level))}
          union all
          select ${points}, ${reachedAt}, null, count(*) from ${scores} where ${and(eq(scores.board, board), only)} group by 1, 2) as buckets`,
      )
      .groupBy(sql`bucket_points, bucket_reached_at`)
      .having(sql`sum(kept) is null or sum(kept) <> sum(counted) or sum(counted) = 0`)
      .orderBy(sql`bucket_points, bucket_reached_at`)
      .limit(MAX_FINDINGS)
    for (const row of rows) wrong.push({ board, level, ...row })
  }
  const known = levels.map(({ level }) => level)
  const stray = await reader
    .select()
    .from(buckets)
    .where(and(eq(buckets.board, board), notInArray(buckets.level, known)))
    .limit(MAX_FINDINGS)
  return [...wrong, ...stray.map(({ fans, ...bucket }) => ({ ...bucket, expected: 0, actual: fans }))]
}
