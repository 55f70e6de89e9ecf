/** Exports and deletes the locker of a fan. */
import { asc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'

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
