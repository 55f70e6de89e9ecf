/** The two rows of a pair of fans. */
import { and, eq, isNull, or, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

/**
 * Creates the missing rows of the pair, and locks both, in the same order for all writers. Returns the
 * current rows.
 */
export const lockPair = prepared((tx: Transaction, firstId: string, secondId: string) => {
  const { fanRelations: relations } = tx.tables
  return tx
    .insert(relations)
    .values([
      { fanId: firstId, otherId: secondId },
      { fanId: secondId, otherId: firstId },
    ])
    .onConflictDoUpdate({
      target: [relations.fanId, relations.otherId],
      set: { mutedAt: sql`${relations.mutedAt}` },
    })
    .returning()
})

/** Deletes rows of the pair that contain no relation. */
export const deleteEmpty = prepared((tx: Transaction, fanId: string, otherId: string) => {
  const { fanRelations: relations } = tx.tables
  const { followedAt, mutedAt, blockedAt, blockedByAt } = relations
  const isOfPair = or(
    and(eq(relations.fanId, fanId), eq(relations.otherId, otherId)),
    and(eq(relations.fanId, otherId), eq(relations.otherId, fanId)),
  )
  return tx
    .delete(relations)
    .where(and(isOfPair, isNull(followedAt), isNull(mutedAt), isNull(blockedAt), isNull(blockedByAt)))
})
