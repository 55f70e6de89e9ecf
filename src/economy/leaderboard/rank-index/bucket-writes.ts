/** Writes buckets, several in a statement. The caller passes `MAX_BUCKETS` at most. */
import { and, eq, or, sql } from 'drizzle-orm'
import type { Tables } from '../../../../db/index.ts'
import { preparedLast } from '../../../../db/prepared.ts'

export type BucketRow = Tables['leaderboardCounts']['$inferSelect']
export type Bucket = Omit<BucketRow, 'fans'>

/** One booking changes no more: 11 buckets to leave and 11 to enter on each of three boards. */
export const MAX_BUCKETS = 66

/**
 * Adds fans to buckets; zero removes one, if there is any. Locks buckets in the order given. A missing one is no error here:
 * the scores are written, and a repair restores the bucket.
 */
export const changeBuckets = preparedLast((tx, buckets: BucketRow[]) => {
  const { leaderboardCounts: table } = tx.tables
  return tx
    .insert(table)
    .values(buckets)
    .onConflictDoUpdate({
      target: [table.board, table.level, table.points, table.reachedAt],
      set: {
        fans: sql`case when excluded.fans > 0 then ${table.fans} + excluded.fans when ${table.fans} > 0 then ${table.fans} - 1 else 0 end`,
      },
    })
})

export const deleteEmpty = preparedLast((tx, buckets: Bucket[]) => {
  const { leaderboardCounts: table } = tx.tables
  const isAmong = buckets.map(({ board, level, points, reachedAt }) =>
    and(
      eq(table.board, board),
      eq(table.level, level),
      eq(table.points, points),
      eq(table.reachedAt, reachedAt),
    ),
  )
  return tx.delete(table).where(and(eq(table.fans, 0), or(...isAmong)))
})
