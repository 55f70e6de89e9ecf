/** Exports and deletes the locker of a fan. After a merge the fan who remains keeps their own locker. */
import { and, asc, eq, notExists, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'

/** The locker as stored, including items that the fan no longer owns. Null without a locker. */
export async function exportLocker(reader: Reader, userId: string) {
  const { lockers, lockerItems } = reader.tables
  const [row] = await reader.select().from(lockers).where(eq(lockers.userId, userId))
  const { shelf, position, collectibleId, serialNumber } = lockerItems
  const items = await reader
    .select({ shelf, position, collectibleId, serialNumber })
    .from(lockerItems)
    .where(eq(lockerItems.userId, userId))
    .orderBy(asc(shelf), asc(position))
  if (!row) return null
  const { title, theme, shelves, updatedAt } = row
  const titles: string[] = JSON.parse(shelves)
  return { title, theme, shelves: titles, items, updatedAt }
}

export async function deleteLocker(tx: Transaction, userId: string): Promise<void> {
  const { lockers, lockerItems } = tx.tables
  await tx.delete(lockerItems).where(eq(lockerItems.userId, userId))
  await tx.delete(lockers).where(eq(lockers.userId, userId))
}

/** Moves the locker of the merged fan, unless the other fan has one. True if it moved. */
export async function moveLocker(tx: Transaction, { fromId, intoId }: Merge): Promise<boolean> {
  const { lockers, lockerItems } = tx.tables
  const own = tx.select({ one: sql`1` }).from(sql`${lockers} as own`).where(sql`own.user_id = ${intoId}`)
  const [moved] = await tx
    .update(lockers)
    .set({ userId: intoId })
    .where(and(eq(lockers.userId, fromId), notExists(own)))
    .returning({ userId: lockers.userId })
  if (moved) await tx.update(lockerItems).set({ userId: intoId }).where(eq(lockerItems.userId, fromId))
  else await deleteLocker(tx, fromId)
  return moved !== undefined
}
