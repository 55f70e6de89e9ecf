/** Corrects a bucket of the rank index, unless it has changed since it was found wrong. */
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { boardTag } from '../../../platform/cache/tags.ts'
import type { WrongBucket } from './verify-rank-index.ts'

/** False if the bucket has changed since; the next check covers it. */
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
