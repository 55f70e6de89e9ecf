/** Changes many rows in units of work of bounded size, so that other writers do not wait long. */
import { type SQL, sql } from 'drizzle-orm'
import { type AnyTable, columnOf, shapeOf } from './schema/shape.ts'
import type { Database, Transaction } from './types.ts'

const BATCH_ROWS = 200

/** Repeats `change`, which returns how many rows it changed, until it changes fewer than `size`. Returns the sum. */
export async function inBatches(
  db: Pick<Database, 'write'>,
  change: (tx: Transaction, size: number) => Promise<number>,
): Promise<number> {
  let sum = 0
  for (;;) {
    const changed = await db.write(tx => change(tx, BATCH_ROWS))
    sum += changed
    if (changed < BATCH_ROWS) return sum
  }
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
