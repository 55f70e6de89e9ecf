/**
 * Writes many items while the API serves. A batch holds its locks until it commits: the write lock of the file on SQLite,
 * shared rows such as the leaderboard's counts on PostgreSQL. Each batch therefore ends within `HOLD_MS`, commit
 * included, and is followed by a pause of the same length.
 */
import type { Database, Transaction } from './index.ts'
import { refreshStatistics } from './statistics.ts'

/** Far below the limit of 50 ms for other writers, since items, commits and scheduling vary. */
const HOLD_MS = 12
const MIN_PAUSE_MS = 4
/** The limit of a batch when no other process uses the database. */
const EXCLUSIVE_BATCH_MS = 10_000
/** Items read ahead: the maximum of one batch. */
const MAX_ITEMS = 500

/**
 * How many rows of an import are one item: few enough that it ends in time. On PostgreSQL each statement is a round trip, and holds
 * only the rows that it writes.
 */
export const rowsTogether = ({ engine }: Pick<Database, 'engine'>): number => (engine === 'sqlite' ? 25 : 100)

export interface Batch {
  /** Items written so far, this batch included. */
  done: number
  /** Duration of its unit of work, commit included. */
  heldMs: number
}

export interface BatchOptions<Item = unknown> {
  /** Awaited. What it throws ends the work, between two batches. */
  onBatch?: (batch: Batch) => unknown
  /** Called in the unit of work just before the commit, synchronously: for data that must be on disk first. */
  beforeCommit?: () => void
  /** No other process uses the database: long batches without pauses. */
  exclusive?: boolean
  /** Items read ahead; lower it for large items. Default: 500. */
  ahead?: number
  /** For an item that is a list: how many it counts as. Default: 1. */
  countOf?(item: Item): number
  /** A monotonic clock, in milliseconds. */
  elapsed: () => number
}

/**
 * Writes all items in order, several in each unit of work. After a conflict on PostgreSQL `write` runs again with the
 * same items. Returns the number of written items, as `countOf` counts them.
 */
export async function writeInBatches<Item>(
  db: Database,
  items: Iterable<Item> | AsyncIterable<Item>,
  write: (tx: Transaction, item: Item) => Promise<unknown>,
  {
    onBatch,
    beforeCommit,
    exclusive = false,
    ahead = MAX_ITEMS,
    countOf = () => 1,
    elapsed,
  }: BatchOptions<Item>,
): Promise<number> {
  let commitMs = 0
  let pauseUntil = 0
  let done = 0

  /** Writes as many items as fit into one unit of work, and returns their number. */
  async function writeBatch(ready: Item[]): Promise<number> {
    // Reading the next items counts as pause. Even a pause of 0 lets the event loop handle signals.
    await Bun.sleep(Math.max(0, pauseUntil - elapsed()))
    const budget = exclusive ? EXCLUSIVE_BATCH_MS : Math.max(1, HOLD_MS - commitMs)
    let startedAt = 0
    let workedMs = 0
    let written = 0
    await db.write(async tx => {
      startedAt = elapsed()
      written = 0
      for (const item of ready) {
        await write(tx, item)
        written++
        workedMs = elapsed() - startedAt
        // Stop if another item of average cost would exceed the budget.
        if (workedMs + workedMs / written > budget) break
      }
      beforeCommit?.()
    })
    const heldMs = elapsed() - startedAt
    // Decays slowly, so that one fast commit does not hide a slow disk.
    commitMs = Math.max(heldMs - workedMs, commitMs * 0.9)
    for (const item of ready.slice(0, written)) done += countOf(item)
    await onBatch?.({ done, heldMs })
    if (!exclusive) pauseUntil = elapsed() + Math.max(heldMs, MIN_PAUSE_MS)
    return written
  }

  let ready: Item[] = []
  for await (const item of items) {
    ready.push(item)
    if (ready.length === ahead) ready = ready.slice(await writeBatch(ready))
  }
  while (ready.length > 0) ready = ready.slice(await writeBatch(ready))
  if (done > 0) await refreshStatistics(db)
  return done
}
