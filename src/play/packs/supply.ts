/** The supply of a pack: total, sold, and held by purchases that are pending and not expired. */
import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Deferred, Transaction } from '../../../db/index.ts'
import { prepared, preparedLast } from '../../../db/prepared.ts'
import { packsTag } from '../../platform/cache/tags.ts'
import { countHolds, type PackRow } from './packs.ts'

export interface LockedPack {
  pack: PackRow
  /** The time after the wait for the lock, so that holds that expired during the wait do not count. */
  now: Date
}

/**
 * Locks the pack's row until the unit of work ends, which serializes changes of its supply. Undefined if the pack does not exist.
 */
export const lockPack = async (tx: Transaction, packId: string) => lockedPack(tx, await lockById(tx, packId))

/**
 * Like `lockPack`, but locks nothing and returns undefined for a pack without a limit: its purchases need not wait for each
 * other.
 */
export const lockLimitedPack = async (tx: Transaction, packId: string) =>
  lockedPack(tx, await lockLimitedById(tx, packId))

function lockedPack(tx: Transaction, [pack]: PackRow[]): LockedPack | undefined {
  if (!pack) return undefined
  // Every caller changes the remaining supply afterwards.
  tx.invalidate(packsTag)
  const sold = tx.deferred(soldPacks).get(pack.id) ?? 0
  return { pack: { ...pack, supplySold: pack.supplySold + sold }, now: tx.clock() }
}

const lockById = prepared((tx: Transaction, packId: string) => lockWhere(tx, eq(tx.tables.packs.id, packId)))

const lockLimitedById = prepared((tx: Transaction, packId: string) => {
  const { packs } = tx.tables
  return lockWhere(tx, and(eq(packs.id, packId), isNotNull(packs.supplyTotal)))
})

/** The update does not set the id: SQLite would check all rows that reference the pack. */
function lockWhere(tx: Transaction, condition: SQL | undefined) {
  const { packs } = tx.tables
  return tx
    .update(packs)
    .set({ supplySold: sql`${packs.supplySold}` })
    .where(condition)
    .returning()
}

/** The number that can still be held or sold; infinite without a limit. The pack must be locked. */
export async function countFree(tx: Transaction, pack: PackRow, now: Date): Promise<number> {
  if (pack.supplyTotal === null) return Number.POSITIVE_INFINITY
  const held = (await countHolds(tx, [pack.id], now)).get(pack.id) ?? 0
  return countUnsold(pack) - held
}

/** The number of unsold packs, including held ones; infinite without a limit. */
export function countUnsold({ supplyTotal, supplySold }: PackRow): number {
  return supplyTotal === null ? Number.POSITIVE_INFINITY : supplyTotal - supplySold
}

/**
 * Adds `by`, negative for returned packs, to the number sold. It is written at the end of the unit of work, so that
 * purchases of a pack wait for each other only then. A check constraint keeps the number between zero and the total: if a
 * new limit is exceeded, the unit of work runs again.
 */
export function changeSold(tx: Transaction, packId: string, by: number): void {
  const sold = tx.deferred(soldPacks)
  sold.set(packId, (sold.get(packId) ?? 0) + by)
}

const soldPacks: Deferred<Map<string, number>> = {
  order: 3,
  start: () => new Map(),
  write: async (tx, sold) =>
    // One order for all writers prevents deadlocks.
    [...sold].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([packId, by]) => addToSold(tx, { packId, by })),
}

const addToSold = preparedLast((tx, { packId, by }: { packId: string; by: number }) => {
  const { packs } = tx.tables
  return tx
    .update(packs)
    .set({ supplySold: sql`${packs.supplySold} + ${by}` })
    .where(eq(packs.id, packId))
})
