/** Compares the buckets of a board with a count of its scores, and corrects them. */
import { and, eq, notInArray, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../../db/index.ts'
import { boardTag } from '../../../platform/cache/tags.ts'
import { bucketLevels } from './rank-index.ts'

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

/** Corrects a bucket. False if it has changed since it was found wrong; the next check covers it. */
export async function repairBucket(tx: Transaction, wrong: WrongBucket): Promise<boolean> {
  const { leaderboardCounts: buckets } = tx.tables
  const { expected, actual, ...bucket } = wrong
  const asFound = and(
    eq(buckets.board, bucket.board),
    eq(buckets.level, bucket.level),
    eq(buckets.points, bucket.points),
    eq(buckets.reachedAt, bucket.reachedAt),
    eq(buckets.fans, actual ?? 0),
  )
  tx.invalidate(boardTag(bucket.board))
  const done =
    actual === null
      ? await tx
          .insert(buckets)
          .values({ ...bucket, fans: expected })
          .onConflictDoNothing()
          .returning()
      : expected === 0
        ? await tx.delete(buckets).where(asFound).returning()
        : await tx.update(buckets).set({ fans: expected }).where(asFound).returning()
  return done.length > 0
}
