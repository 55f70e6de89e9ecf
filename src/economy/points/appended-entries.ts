/** What a unit of work appended to ledgers of points and cash: recorded as events at its end, for all fans together. */
import type { Deferred, Transaction } from '../../../db/index.ts'
import { createSignal } from '../../core/signal.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'

export interface AppendedEntry extends ChainedEntry {
  /** Lifetime points of the fan after it. */
  lifetime: number
}

declare module '../../../db/types.ts' {
  interface Spine {
    readonly points: ReturnType<typeof createPointsSpine>
  }
}

/** An entry of cash has a currency, and no lifetime. */
export type AppendedCash = ChainedEntry & { currency: string }

type Recorder = (tx: Transaction, entries: (AppendedEntry | AppendedCash)[]) => Promise<void>

export interface BaselineChange {
  userId: string
  boards: string[]
  /** Negative for points that were taken back. */
  points: number
  /** When they were earned. */
  at: Date
}

type Changer = (tx: Transaction, changes: BaselineChange[]) => Promise<void>

type Placer = (tx: Transaction, entries: AppendedEntry[]) => Promise<void>

export const createPointsSpine = (
  recordEntries: Recorder,
  changeBaselines: Changer,
  placeEarners: Placer,
) => ({
  /** Gets the entries in the order in which they were appended. */
  recordEntries,
  /** Points changed that were earned before a league counts them. */
  changeBaselines,
  /** Gets the entries that add points, at the end of the unit of work: a fan who earns takes part in divisions. */
  placeEarners,
  /** An entry was appended to a ledger of points. */
  entryBooked: createSignal<Pick<ChainedEntry, 'reason' | 'delta'>>(),
})

/** Every place that writes an entry calls it. `isTold`: another event has it. */
export function noteAppended(tx: Transaction, entry: AppendedEntry | AppendedCash, isTold = false): void {
  if (!('currency' in entry)) tx.spine.points.entryBooked.announce(tx, entry)
  if (!('currency' in entry) && entry.delta > 0) tx.deferred(addedEntries).push(entry)
  if (!isTold) tx.deferred(appendedEntries).push(entry)
}

/** Takes the entries of points of a fan that wait for the end of the unit of work. Null if entries of cash of the fan wait as well. */
export function takeAppended(tx: Transaction, userId: string): AppendedEntry[] | null {
  const waiting = tx.deferred(appendedEntries)
  const own: AppendedEntry[] = []
  for (const entry of waiting)
    if (entry.userId === userId) {
      if ('currency' in entry) return null
      own.push(entry)
    }
  if (own.length > 0) waiting.splice(0, Infinity, ...waiting.filter(entry => entry.userId !== userId))
  return own
}

/** Undoes `takeAppended`. */
export const returnAppended = (tx: Transaction, entries: AppendedEntry[]): void =>
  void tx.deferred(appendedEntries).unshift(...entries)

const appendedEntries: Deferred<(AppendedEntry | AppendedCash)[]> = {
  // Rows of one fan: before those that fans share.
  order: -1,
  start: () => [],
  async write(tx, entries) {
    await tx.spine.points.recordEntries(tx, entries)
    return []
  },
}

const addedEntries: Deferred<AppendedEntry[]> = {
  // Rows that fans share, but those of stock and ranks are busier.
  order: 1.5,
  start: () => [],
  async write(tx, entries) {
    await tx.spine.points.placeEarners(tx, entries)
    return []
  },
}
