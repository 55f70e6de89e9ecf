/** Puts one count right, when it is still the one that was found wrong. */
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { boardTag } from '../../cache/tags.ts'
import type { WrongCount } from './verify-rank-index.ts'

/**
 * A count that somebody has moved meanwhile is left to the next look: what was found is then no longer what there is.
 * False when it was left.
 */
export async function repairCount(tx: Transaction, wrong: WrongCount): Promise<boolean> {
  const { leaderboardCounts: counts } = tx.tables
  const { expected, actual, ...bucket } = wrong
  const asFound = and(
    eq(counts.board, bucket.board),
    eq(counts.level, bucket.level),
    eq(counts.points, bucket.points),
    eq(counts.reachedAt, bucket.reachedAt),
    eq(counts.fans, actual ?? 0),
  )
  tx.invalidate(boardTag(bucket.board))
  const done =
    actual === null
      ? await tx
          .insert(counts)
          .values({ ...bucket, fans: expected })
          .onConflictDoNothing()
          .returning()
      : expected === 0
        ? await tx.delete(counts).where(asFound).returning()
        : await tx.update(counts).set({ fans: expected }).where(asFound).returning()
  return done.length > 0
}
