/** What is written to the counts: statements over some buckets at once. Lists longer than `MOST_BUCKETS` are cut by their caller. */
import { and, eq, gt, or, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../../db/index.ts'
import { type PreparedValue, preparedWrite } from '../../../db/prepared.ts'
import { perLength } from '../../../db/statement-per-length.ts'

type Count = Tables['leaderboardCounts']['$inferSelect']
export type Bucket = Omit<Count, 'fans'>

/** What one booking moves at the most: on three boards, 11 buckets to leave and 11 to enter. */
export const MOST_BUCKETS = 66

/** Makes what is missing, and adds to what is there. Locks the buckets in their order. */
export async function addFans(tx: Transaction, counts: Count[]): Promise<void> {
  const values = counts.flatMap(({ fans, ...bucket }) => [...placeOf(bucket), fans])
  await upsert(counts.length)(tx, numbered(values))
}

/** One fan fewer in each that has any; then those that have none go. */
export async function removeFan(tx: Transaction, buckets: Bucket[]): Promise<void> {
  const values = numbered(buckets.flatMap(placeOf))
  await decrement(buckets.length)(tx, values)
  await deleteEmpty(buckets.length)(tx, values)
}

const placeOf = ({ board, level, points, reachedAt }: Bucket) => [board, level, points, reachedAt]

/** Values that go by their numbers, row after row: names of their own would cost more than the statement. */
export type Numbered = Record<string, string | number>

export function numbered(values: (string | number)[]): Numbered {
  const byNumber: Numbered = {}
  for (const [number, value] of values.entries()) byNumber[number] = value
  return byNumber
}

const upsert = perLength(length =>
  preparedWrite<Numbered, unknown>((tx, value) => {
    const { leaderboardCounts: counts } = tx.tables
    const rows = Array.from({ length }, (_, row) => ({
      board: value(String(5 * row)),
      level: value(String(5 * row + 1)),
      points: value(String(5 * row + 2)),
      reachedAt: value(String(5 * row + 3)),
      fans: value(String(5 * row + 4)),
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
  const each = Array.from({ length }, (_, row) =>
    and(
      eq(counts.board, value(String(4 * row))),
      eq(counts.level, value(String(4 * row + 1))),
      eq(counts.points, value(String(4 * row + 2))),
      eq(counts.reachedAt, value(String(4 * row + 3))),
    ),
  )
  return or(...each)
}
