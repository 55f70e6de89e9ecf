/** The locker after a merge: the fan who remains keeps their own locker. */
import { and, eq, notExists, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import { deleteLocker } from './personal-data.ts'

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
