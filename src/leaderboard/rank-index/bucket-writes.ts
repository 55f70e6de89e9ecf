/** What is written to the counts: statements over some buckets at once. Lists longer than `MOST_BUCKETS` are cut by their caller. */
import { and, eq, gt, or, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

type Count = Tables['leaderboardCounts']['$inferSelect']
export type Bucket = Omit<Count, 'fans'>

/** What one booking moves at the most: on three boards, 11 buckets to leave and 11 to enter. */
export const MOST_BUCKETS = 66

/** Makes what is missing, and adds to what is there. Locks the buckets in their order. */
export const addFans = prepared((tx: Transaction, buckets: Count[]) => {
  const { leaderboardCounts: counts } = tx.tables
  return tx
    .insert(counts)
    .values(buckets)
    .onConflictDoUpdate({
      target: [counts.board, counts.level, counts.points, counts.reachedAt],
      set: { fans: sql`${counts.fans} + excluded.fans` },
    })
})

/** One fan fewer in each that has any; then those that have none go. */
export async function removeFan(tx: Transaction, buckets: Bucket[]): Promise<void> {
  await decrement(tx, buckets)
  await deleteEmpty(tx, buckets)
}

const decrement = prepared((tx: Transaction, buckets: Bucket[]) => {
  const { leaderboardCounts: counts } = tx.tables
  return tx
    .update(counts)
    .set({ fans: sql`${counts.fans} - 1` })
    .where(and(gt(counts.fans, 0), isAmong(counts, buckets)))
})

const deleteEmpty = prepared((tx: Transaction, buckets: Bucket[]) => {
  const { leaderboardCounts: counts } = tx.tables
  return tx.delete(counts).where(and(eq(counts.fans, 0), isAmong(counts, buckets)))
})

function isAmong(counts: Tables['leaderboardCounts'], buckets: Bucket[]) {
  const each = buckets.map(({ board, level, points, reachedAt }) =>
    and(
      eq(counts.board, board),
      eq(counts.level, level),
      eq(counts.points, points),
      eq(counts.reachedAt, reachedAt),
    ),
  )
  return or(...each)
}
