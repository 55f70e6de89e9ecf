/** The inventory of a fan: packs, newest first, and collectibles with their serial numbers. */

import { and, asc, desc, eq, gt, inArray, lt } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { restedAt } from './owners.ts'
import { isOwnedBy } from './ownership.ts'
import { collectibleColumns } from './packs.ts'
import { presentUserPack } from './present.ts'
import { listUntradableOf } from './tradable.ts'

export async function listUserPacks(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const { userPacks, packPurchases } = reader.tables
  const list = `packs ${userId}`
  const before = cursors.decode(list, page.cursor)
  const rows = await reader
    .select({ userPack: userPacks, seedHash: packPurchases.seedHash })
    .from(userPacks)
    .innerJoin(packPurchases, eq(packPurchases.id, userPacks.purchaseId))
    .where(and(eq(userPacks.userId, userId), before === undefined ? undefined : lt(userPacks.id, before)))
    .orderBy(desc(userPacks.id))
    .limit(page.limit + 1)
  const { shown, nextCursor } = cutPage(rows, page.limit, last => cursors.encode(list, last.userPack.id))
  return { packs: shown.map(({ userPack, seedHash }) => presentUserPack(userPack, seedHash)), nextCursor }
}

/** `restHours`: how long an item cannot be traded again after a transfer. */
export async function listCollection(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  page: Page,
  restHours: number,
) {
  const { userItems, collectibles } = reader.tables
  const list = `collection ${userId}`
  const after = cursors.decode(list, page.cursor)
  const rows = await reader
    .selectDistinct(collectibleColumns(reader))
    .from(userItems)
    .innerJoin(collectibles, eq(collectibles.id, userItems.collectibleId))
    .where(and(isOwnedBy(reader, userId), after === undefined ? undefined : gt(collectibles.id, after)))
    .orderBy(asc(collectibles.id))
    .limit(page.limit + 1)
  const { shown, nextCursor } = cutPage(rows, page.limit, last => cursors.encode(list, last.id))
  const ids = shown.map(({ id }) => id)
  const copies = await readCopies(reader, userId, ids)
  const untradable = await listUntradableOf(reader, userId, ids)
  const now = reader.now()
  const items = shown.map(item => {
    const own = copies.get(item.id) ?? []
    const resting = own.flatMap(copy => {
      const until = restedAt(copy, restHours)
      return until > now ? { serialNumber: copy.serialNumber, until: until.toISOString() } : []
    })
    const serialNumbers = own.map(({ serialNumber }) => serialNumber)
    return {
      ...presentTexts(item),
      count: own.length,
      serialNumbers,
      resting,
      untradable: untradable.get(item.id) ?? [],
    }
  })
  return { items, nextCursor }
}

/** The fan's copies of these collectibles: by collectible, in the order of serial numbers. */
async function readCopies(reader: Reader, userId: string, ids: string[]) {
  const { userItems } = reader.tables
  const { collectibleId: id, serialNumber, changedHandsAt } = userItems
  const rows = await reader
    .select({ id, serialNumber, changedHandsAt })
    .from(userItems)
    .where(and(isOwnedBy(reader, userId), inArray(id, ids)))
    .orderBy(asc(id), asc(serialNumber))
  return Map.groupBy(rows, ({ id }) => id)
}
