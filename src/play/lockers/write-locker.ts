/** Replaces the locker of a fan. */

import { and, asc, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { requirePublicText } from '../../identity/public-text/require-public-text.ts'
import { ownedItems } from '../packs/ownership.ts'
import { packProblems } from '../packs/problems.ts'
import { readOwnLocker } from './lockers.ts'
import type { Locker, WriteLocker } from './schema.ts'

/** @throws DomainError `item_not_owned`, and those of `requirePublicText` */
export async function writeLocker(tx: Transaction, { userId }: Caller, body: WriteLocker): Promise<Locker> {
  const title = body.title.trim()
  const titles = body.shelves.map(shelf => shelf.title.trim())
  await requirePublicText(tx, userId, [
    { pointer: '/title', text: title },
    ...titles.map((text, shelf) => ({ pointer: `/shelves/${shelf}/title`, text })),
  ])
  const { lockers, lockerItems } = tx.tables
  const row = { title, theme: body.theme, shelves: JSON.stringify(titles), updatedAt: tx.now() }
  await tx
    .insert(lockers)
    .values({ ...row, userId })
    .onConflictDoUpdate({ target: lockers.userId, set: row })
  await tx.delete(lockerItems).where(eq(lockerItems.userId, userId))
  const items = body.shelves.flatMap((shelf, at) =>
    shelf.items.map((item, position) => ({ ...item, userId, shelf: at, position })),
  )
  if (items.length > 0) {
    await tx.insert(lockerItems).values(items)
    const others = await selectNotOwned(tx, userId)
    if (others.length > 0) {
      const errors = others.map(({ shelf, position }) => ({
        pointer: `/shelves/${shelf}/items/${position}`,
        message: 'must be an item that you own',
      }))
      throw new DomainError(packProblems.item_not_owned, { errors })
    }
  }
  return readOwnLocker(tx, { userId })
}

const selectNotOwned = prepared((reader: Reader, userId: string) => {
  const { lockerItems: items } = reader.tables
  const owned = ownedItems(reader, userId).as('owned')
  return reader
    .select({ shelf: items.shelf, position: items.position })
    .from(items)
    .leftJoin(owned, and(eq(owned.id, items.collectibleId), eq(owned.serialNumber, items.serialNumber)))
    .where(and(eq(items.userId, userId), isNull(owned.id)))
    .orderBy(asc(items.shelf), asc(items.position))
})
