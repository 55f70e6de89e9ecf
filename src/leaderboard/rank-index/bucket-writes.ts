/** Writes buckets, several in a statement. The caller splits lists that are longer than `MAX_BUCKETS`. */
import { and, eq, gt, or, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

type BucketRow = Tables['leaderboardCounts']['$inferSelect']
export type Bucket = Omit<BucketRow, 'fans'>

/** One booking changes no more: 11 buckets to leave and 11 to enter on each of three boards. */
export const MAX_BUCKETS = 66

/** Inserts buckets or adds to them. Locks them in the order given. */
export const addMembers = prepared((tx: Transaction, buckets: BucketRow[]) => {
  const { leaderboardCounts: table } = tx.tables
  return tx
    .insert(table)
    .values(buckets)
    .onConflictDoUpdate({
      target: [table.board, table.level, table.points, table.reachedAt],
      set: { fans: sql`${table.fans} + excluded.fans` },
    })
})

/** Removes one fan from each bucket that has any, then deletes empty buckets. */
export async function removeMember(tx: Transaction, buckets: Bucket[]): Promise<void> {
  await decrement(tx, buckets)
  await deleteEmpty(tx, buckets)
}

const decrement = prepared((tx: Transaction, buckets: Bucket[]) => {
  const { leaderboardCounts: table } = tx.tables
  return tx
    .update(table)
    .set({ fans: sql`${table.fans} - 1` })
    .where(and(gt(table.fans, 0), isAmong(table, buckets)))
})

const deleteEmpty = prepared((tx: Transaction, buckets: Bucket[]) => {
  const { leaderboardCounts: table } = tx.tables
  return tx.delete(table).where(and(eq(table.fans, 0), isAmong(table, buckets)))
})

function isAmong(table: Tables['leaderboardCounts'], buckets: Bucket[]) {
  const each = buckets.map(({ board, level, points, reachedAt }) =>
    and(
      eq(table.board, board),
      eq(table.level, level),
      eq(table.points, points),
      eq(table.reachedAt, reachedAt),
    ),
  )
  return or(...each)
}
