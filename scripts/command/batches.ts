/** Writes many items while the API serves, until a signal stops it between two batches. */
import type { Database, Transaction } from '../../db/index.ts'
import { type BatchOptions as Options, writeInBatches as writeBatches } from '../../db/write-in-batches.ts'
import { Interrupted, type StopSignal } from './stop.ts'

export interface BatchOptions<Item = unknown> extends Omit<Options<Item>, 'elapsed'> {
  /** Called between batches. */
  stopRequested?: (() => StopSignal | undefined) | undefined
  /** A monotonic clock, in milliseconds. */
  now?: (() => number) | undefined
}

/** As the verb of the same name. @throws Interrupted between two batches */
export const writeInBatches = <Item>(
  db: Database,
  items: Iterable<Item> | AsyncIterable<Item>,
  write: (tx: Transaction, item: Item) => Promise<unknown>,
  { stopRequested, onBatch, now = () => performance.now(), ...options }: BatchOptions<Item> = {},
): Promise<number> =>
  writeBatches(db, items, write, {
    ...options,
    elapsed: now,
    async onBatch(batch) {
      await onBatch?.(batch)
      const signal = stopRequested?.()
      if (signal) throw new Interrupted(signal, batch.done)
    },
  })
