/** Items of packs that the club keeps out of trades. */
import { and, asc, eq, inArray, type SQL } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { type ItemReference, isOneOf } from './owners.ts'
import { isOwnedBy } from './ownership.ts'

/** Those of these items that cannot be traded, in the order of their ids: as the catalogue says now. */
export async function listUntradable(reader: Reader, items: ItemReference[]): Promise<ItemReference[]> {
  return items.length === 0 ? [] : selectUntradable(reader, isOneOf(reader.tables.userItems, items))
}

/** Serial numbers of a fan that cannot be traded, by collectible. */
export async function listUntradableOf(reader: Reader, userId: string, collectibleIds: string[]) {
  const isOwn = and(isOwnedBy(reader, userId), inArray(reader.tables.userItems.collectibleId, collectibleIds))
  const numbers = new Map<string, number[]>()
  if (collectibleIds.length === 0) return numbers
  for (const { collectibleId, serialNumber } of await selectUntradable(reader, isOwn))
    numbers.set(collectibleId, [...(numbers.get(collectibleId) ?? []), serialNumber])
  return numbers
}

async function selectUntradable(reader: Reader, which: SQL | undefined) {
  const { userItems, userPacks, packs } = reader.tables
  const { collectibleId, serialNumber } = userItems
  return reader
    .select({ collectibleId, serialNumber })
    .from(userItems)
    .innerJoin(userPacks, eq(userPacks.id, userItems.userPackId))
    .innerJoin(packs, eq(packs.id, userPacks.packId))
    .where(and(which, eq(packs.tradable, false)))
    .orderBy(asc(collectibleId), asc(serialNumber))
}
