/** Changes many rows in small units of work, so that other writers do not wait long. */
import { type Column, inArray, type SQL, sql } from 'drizzle-orm'
import { locksForUpdate } from './row-lock.ts'
import { type AnyTable, columnOf, shapeOf } from './schema/shape.ts'
import type { Database, Transaction } from './types.ts'

const BATCH_ROWS = 200
/** Maximum rest, for a step that had to wait for locks. Milliseconds. */
const MAX_REST_MS = 1_000

/**
 * How long a unit of work may take that changes many rows, its commit included. On SQLite all other writers wait for it. On PostgreSQL
 * only those of the same rows do, and each of its statements is a round trip, whatever the number of rows.
 */
const UNIT_MS = { sqlite: 25, postgres: 75 }

/** How many rows the next unit of work takes, after one with `size` rows took `ms` milliseconds, commit included. */
export const nextSize = (
  { engine }: Pick<Database, 'engine'>,
  { size, ms }: { size: number; ms: number },
  { min, max }: { min: number; max: number },
): number => Math.min(Math.max(Math.round((size * UNIT_MS[engine]) / Math.max(ms, 1)), min), max, 2 * size)

/**
 * Rests for as long as the last step of background work took, which began at `began` (`performance.now()`). Without rests,
 * the steps keep a core busy to the end, and work that yields to a busy process, such as deliveries, waits.
 */
export const restAfter = (began: number): Promise<void> =>
  Bun.sleep(Math.min(performance.now() - began, MAX_REST_MS))

/** As `restAfter`, for as long as this process has used a core since `began`: a wait for the database or the disk left it to others. */
export function restAfterCpu(began: NodeJS.CpuUsage): Promise<void> {
  const { user, system } = process.cpuUsage(began)
  return Bun.sleep(Math.min((user + system) / 1_000, MAX_REST_MS))
}

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

/**
 * As `deleteInBatches`, for rows with an id that others change meanwhile: locks them first, and a row that was changed while the
 * statement waited must still meet the condition. `parts`: tables with the column that refers to the id; their rows go first.
 */
export function deleteLockedInBatches(
  db: Pick<Database, 'write'>,
  table: AnyTable,
  condition: (tx: Transaction) => SQL | undefined,
  parts: [AnyTable, Column][] = [],
): Promise<number> {
  const id = sql<string>`${columnOf(table, 'id')}`
  return inBatches(db, async (tx, size) => {
    const due = await locksForUpdate(tx, tx.select({ id }).from(table).where(condition(tx)).limit(size))
    if (due.length === 0) return 0
    const ids = due.map(row => row.id)
    for (const [part, column] of parts) await tx.delete(part).where(inArray(column, ids))
    await tx.delete(table).where(inArray(id, ids))
    return ids.length
  })
}
