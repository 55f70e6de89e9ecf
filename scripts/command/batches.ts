/**
 * Writes many items beside a live API. A batch holds its locks until it commits: on SQLite the one write lock of the file,
 * on PostgreSQL rows that the API's writes need as well, such as the leaderboard's counts. So a batch ends before it has
 * held them for `HOLD_MS`, commit included, and the next one starts after a rest of the same length.
 */
import type { Database, Transaction } from '../../db/index.ts'
import { refreshStatistics } from '../../db/statistics.ts'
import { Interrupted, type StopSignal } from './stop.ts'

/** Far below the 50 ms that nobody may wait for: an item, a commit or the scheduler can always take longer than before. */
const HOLD_MS = 12
const LEAST_REST_MS = 4
/** With nobody waiting, what is ready goes into one batch, unless it takes long even so. */
const EXCLUSIVE_BATCH_MS = 10_000
/** Items kept ready; the most that one batch can take. */
const MOST_ITEMS = 500

export interface Batch {
  /** Items written so far, this batch included. */
  done: number
  /** How long its unit of work was open, commit included. */
  heldMs: number
}

export interface BatchOptions {
  onBatch?: (batch: Batch) => void
  /** Synchronous, inside the unit of work, when it is about to commit: what must be on disk before the change is. */
  beforeCommit?: () => void
  /** Asked between batches. */
  stopRequested?: () => StopSignal | undefined
  /** Nobody else uses the database: long batches, and no rests in between. */
  exclusive?: boolean
  /** Items kept ready, where they are large. Default: 500. */
  ahead?: number
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/**
 * Writes every item, in order, each in one unit of work with its neighbours. `write` may run again with the same item
 * after a conflict on PostgreSQL. Answers how many were written. @throws Interrupted between two batches
 */
export async function writeInBatches<Item>(
  db: Database,
  items: Iterable<Item> | AsyncIterable<Item>,
  write: (tx: Transaction, item: Item) => Promise<unknown>,
  {
    onBatch,
    beforeCommit,
    stopRequested,
    exclusive = false,
    ahead = MOST_ITEMS,
    now = () => performance.now(),
  }: BatchOptions = {},
): Promise<number> {
  let commitMs = 0
  let restUntil = 0
  let done = 0

  /** One unit of work over as many of the items as fit. Answers how many. */
  async function writeBatch(ready: Item[]): Promise<number> {
    // Making the next items was rest as well. Even without any, a signal is heard only when the event loop turns.
    await Bun.sleep(Math.max(0, restUntil - now()))
    const budget = exclusive ? EXCLUSIVE_BATCH_MS : Math.max(1, HOLD_MS - commitMs)
    let began = 0
    let worked = 0
    let taken = 0
    await db.write(async tx => {
      began = now()
      taken = 0
      for (const item of ready) {
        await write(tx, item)
        taken++
        worked = now() - began
        // Would another like those before still fit?
        if (worked + worked / taken > budget) break
      }
      beforeCommit?.()
    })
    const heldMs = now() - began
    // Slow to forget a slow disk.
    commitMs = Math.max(heldMs - worked, commitMs * 0.9)
    done += taken
    onBatch?.({ done, heldMs })
    const signal = stopRequested?.()
    if (signal) throw new Interrupted(signal, done)
    if (!exclusive) restUntil = now() + Math.max(heldMs, LEAST_REST_MS)
    return taken
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
