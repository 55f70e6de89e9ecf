/** What is written to the counts: statements over some buckets at once. Lists longer than `MOST_BUCKETS` are cut by their caller. */
import { and, eq, gt, or, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../db/index.ts'
import { type PreparedValue, preparedWrite } from '../../db/prepared.ts'
import { perLength } from './per-length.ts'

type Count = Tables['leaderboardCounts']['$inferSelect']
export type Bucket = Omit<Count, 'fans'>

/** What one booking moves at the most: on three boards, 11 buckets to leave and 11 to enter. */
export const MOST_BUCKETS = 66

/** Makes what is missing, and adds to what is there. Locks the buckets in their order. */
export async function addFans(tx: Transaction, counts: Count[]): Promise<void> {
  await upsert(counts.length)(tx, numbered(counts))
}

/** One fan fewer in each that has any; then those that have none go. */
export async function removeFan(tx: Transaction, buckets: Bucket[]): Promise<void> {
  const values = numbered(buckets)
  await decrement(buckets.length)(tx, values)
  await deleteEmpty(buckets.length)(tx, values)
}

/** The members of each row under names of their own, such as `board0`. */
type Numbered = Record<string, string | number>

function numbered(rows: Bucket[]): Numbered {
  const values: Numbered = {}
  for (const [index, row] of rows.entries())
    for (const [name, value] of Object.entries(row)) values[name + index] = value
  return values
}

const upsert = perLength(length =>
  preparedWrite<Numbered, unknown>((tx, value) => {
    const { leaderboardCounts: counts } = tx.tables
    const rows = Array.from({ length }, (_, index) => ({
      board: value(`board${index}`),
      level: value(`level${index}`),
      points: value(`points${index}`),
      reachedAt: value(`reachedAt${index}`),
      fans: value(`fans${index}`),
    }))
    return tx
      .insert(counts)
      .values(rows)
      .onConflictDoUpdate({
        target: [counts.board, counts.level, counts.points, counts.reachedAt],
        set: { fans: sql`${counts.fans} + excluded.fans` },
      })
  }),
)

const decrement = perLength(length =>
  preparedWrite<Numbered, unknown>((tx, value) => {
    const { leaderboardCounts: counts } = tx.tables
    return tx
      .update(counts)
      .set({ fans: sql`${counts.fans} - 1` })
      .where(and(gt(counts.fans, 0), isAmong(counts, length, value)))
  }),
)

const deleteEmpty = perLength(length =>
  preparedWrite<Numbered, unknown>((tx, value) => {
    const { leaderboardCounts: counts } = tx.tables
    return tx.delete(counts).where(and(eq(counts.fans, 0), isAmong(counts, length, value)))
  }),
)

function isAmong(counts: Tables['leaderboardCounts'], length: number, value: PreparedValue<Numbered>) {
  const each = Array.from({ length }, (_, index) =>
    and(
      eq(counts.board, value(`board${index}`)),
      eq(counts.level, value(`level${index}`)),
      eq(counts.points, value(`points${index}`)),
      eq(counts.reachedAt, value(`reachedAt${index}`)),
    ),
  )
  return or(...each)
}
