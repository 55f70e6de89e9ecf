/** What a unit of work appended to ledgers of points and cash: recorded as events at its end, for all fans together. */
import type { Deferred, Tables, Transaction } from '../../../db/index.ts'
import { createSignal } from '../../core/signal.ts'

type PointsEntry = Tables['pointsEntries']['$inferSelect']

export interface AppendedEntry extends PointsEntry {
  /** Lifetime points of the fan after it. */
  lifetime: number
}

declare module '../../../db/types.ts' {
  interface Spine {
    readonly points: ReturnType<typeof createPointsSpine>
  }
}

/** An entry of cash has a currency, and no lifetime. */
export type AppendedCash = PointsEntry & { currency: string }

type Recorder = (tx: Transaction, entries: (AppendedEntry | AppendedCash)[]) => Promise<void>

export const createPointsSpine = (recordEntries: Recorder) => ({
  /** Gets the entries in the order in which they were appended. */
  recordEntries,
  /** An entry was appended to a ledger of points. */
  entryBooked: createSignal<Pick<PointsEntry, 'reason' | 'delta'>>(),
})

/** Every place that writes an entry calls it. */
export function noteAppended(tx: Transaction, entry: AppendedEntry | AppendedCash): void {
  if (!('currency' in entry)) tx.spine.points.entryBooked.announce(tx, entry)
  tx.deferred(appendedEntries).push(entry)
}

const appendedEntries: Deferred<(AppendedEntry | AppendedCash)[]> = {
  // Rows of one fan: before those that fans share.
  order: -1,
  start: () => [],
  async write(tx, entries) {
    await tx.spine.points.recordEntries(tx, entries)
    return []
  },
}
