/** Changes many rows in small units of work, so that other writers do not wait long. */
import { type SQL, sql } from 'drizzle-orm'
import { type AnyTable, columnOf, shapeOf } from './schema/shape.ts'
import type { Database, Transaction } from './types.ts'

const BATCH_ROWS = 200
/** Maximum rest, for a step that had to wait for locks. Milliseconds. */
const MAX_REST_MS = 1_000

/**
 * Rests for as long as the last step of background work took, which began at `began` (`performance.now()`). Without rests,
 * the steps keep a core busy to the end, and work that yields to a busy process, such as deliveries, waits.
 */
export const restAfter = (began: number): Promise<void> =>
  Bun.sleep(Math.min(performance.now() - began, MAX_REST_MS))

/** Repeats `change`, which returns how many rows it changed, until it changes fewer than `size`, with rests between. Returns the sum. */
export async function inBatches(
  db: Pick<Database, 'write'>,
  change: (tx: Transaction, size: number) => Promise<number>,
  stopRequested = () => false,
): Promise<number> {
  let sum = 0
  while (!stopRequested()) {
    const began = performance.now()
    const changed = await db.write(tx => change(tx, BATCH_ROWS))
    sum += changed
    if (changed < BATCH_ROWS) break
    await restAfter(began)
  }
  return sum
}

/** Deletes the rows of a table that meet a condition, and returns how many. */
export function deleteInBatches(
  db: Pick<Database, 'write'>,
  table: AnyTable,
  condition: (tx: Transaction) => SQL,
): Promise<number> {
  const columns = sql.join(
    shapeOf(table).key.map(property => columnOf(table, property)),
    sql`, `,
  )
  return inBatches(db, async (tx, size) => {
    const batch = tx.select({ key: columns }).from(table).where(condition(tx)).limit(size)
    return (await tx.delete(table).where(sql`(${columns}) in ${batch}`).returning()).length
  })
}
