/** Ownership of items: the first owner is the fan who drew the item or was given it. */
import { and, type Column, count, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { locksInUnitOfWork } from '../../../db/row-lock.ts'
import { collectibleColumns } from './packs.ts'

type Tables = Pick<Reader, 'tables'>

/** SQL: whether the fan owns the item now. Each branch uses an index. */
export function isOwnedBy({ tables: { userItems } }: Tables, userId: string | Column): SQL | undefined {
  return or(eq(userItems.ownerId, userId), and(eq(userItems.userId, userId), isNull(userItems.ownerId)))
}

/** SQL: whether the fan owns an item of the collectible now. */
export function ownsItemOf(reader: Tables, userId: string | Column, collectibleId: Column): SQL {
  const { userItems } = reader.tables
  return sql`exists (select 1 from ${userItems} where ${userItems.collectibleId} = ${collectibleId}
    and ${isOwnedBy(reader, userId)})`
}

/** Query for the number of items that the fan owns now of each collectible. */
export function countsOfOwned(reader: Reader, userId: string) {
  const { userItems } = reader.tables
  return reader
    .select({ collectibleId: userItems.collectibleId, count: count() })
    .from(userItems)
    .where(isOwnedBy(reader, userId))
    .groupBy(userItems.collectibleId)
}

/** Query for the items that the fan owns now, with the columns of their collectibles that a response shows. */
export function ownedItems(reader: Reader, userId: string) {
  const { userItems, collectibles } = reader.tables
  return reader
    .select({ ...collectibleColumns(reader), serialNumber: userItems.serialNumber })
    .from(userItems)
    .innerJoin(collectibles, eq(collectibles.id, userItems.collectibleId))
    .where(isOwnedBy(reader, userId))
}

/** Which of these collectibles the fan owns now. In a unit of work, a copy of each keeps its owner until the end. */
export async function findOwned(reader: Reader, userId: string, collectibleIds: string[]) {
  const { userItems } = reader.tables
  const owned = new Set<string>()
  for (const id of new Set(collectibleIds)) {
    const copy = reader
      .select({ serialNumber: userItems.serialNumber })
      .from(userItems)
      .where(and(eq(userItems.collectibleId, id), isOwnedBy(reader, userId)))
      .limit(1)
    if ((await locksInUnitOfWork(reader, copy)).length > 0) owned.add(id)
  }
  return owned
}
