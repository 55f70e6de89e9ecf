/** The supply of a pack: total, sold, and held by purchases that are pending and not expired. */
import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { packsTag } from '../cache/tags.ts'
import { countHolds, type PackRow } from './catalogue.ts'

/**
 * Locks the pack's row until the unit of work ends, which serializes changes of its supply. Returns the locked row and the
 * time after the wait: holds that expired during the wait do not count. Undefined if the pack does not exist.
 */
export async function lockPack(
  tx: Transaction,
  packId: string,
): Promise<{ pack: PackRow; now: Date } | undefined> {
  // Every caller changes the remaining supply.
  tx.invalidate(packsTag)
  const [pack] = await lockById(tx, packId)
  return pack && { pack, now: tx.clock() }
}

/** The update does not set the id: SQLite would check all rows that reference the pack. */
const lockById = prepared((tx: Transaction, packId: string) => {
  const { packs } = tx.tables
  return tx
    .update(packs)
    .set({ supplySold: sql`${packs.supplySold}` })
    .where(eq(packs.id, packId))
    .returning()
})

/** The number that can still be held or sold; infinite without a limit. The pack must be locked. */
export async function countFree(tx: Transaction, pack: PackRow, now: Date): Promise<number> {
  if (pack.supplyTotal === null) return Number.POSITIVE_INFINITY
  const held = (await countHolds(tx, [pack.id], now)).get(pack.id) ?? 0
  return countUnsold(pack) - held
}

/** The number not sold, held ones included; infinite without a limit. */
export function countUnsold({ supplyTotal, supplySold }: PackRow): number {
  return supplyTotal === null ? Number.POSITIVE_INFINITY : supplyTotal - supplySold
}

/** Adds `by` to the number sold; negative for returned packs. A check constraint keeps the number between zero and the total. */
export async function changeSold(tx: Transaction, packId: string, by: number): Promise<void> {
  await addToSold(tx, { packId, by })
}

const addToSold = prepared((tx: Transaction, { packId, by }: { packId: string; by: number }) => {
  const { packs } = tx.tables
  return tx
    .update(packs)
    .set({ supplySold: sql`${packs.supplySold} + ${by}` })
    .where(eq(packs.id, packId))
})
