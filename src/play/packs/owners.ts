/** Who owns items, for rooms that move them. */
import { and, asc, type Column, eq, or, type SQL } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'

export interface ItemReference {
  collectibleId: string
  serialNumber: number
}

export const HOUR_MS = 3_600_000

export interface OwnedItem {
  ownerId: string
  changedHandsAt: Date | null
}

/** The time from which the item can be transferred again; in the past for an item that was never transferred. */
export const restedAt = ({ changedHandsAt }: Pick<OwnedItem, 'changedHandsAt'>, restHours: number): Date =>
  new Date(changedHandsAt ? changedHandsAt.getTime() + restHours * HOUR_MS : 0)

export const nameOfItem = ({ collectibleId, serialNumber }: ItemReference) =>
  `${collectibleId} ${serialNumber}`

/** SQL: whether a row is about one of these items. */
export const isOneOf = (
  { collectibleId, serialNumber }: Record<keyof ItemReference, Column>,
  items: ItemReference[],
): SQL | undefined =>
  or(...items.map(item => and(eq(collectibleId, item.collectibleId), eq(serialNumber, item.serialNumber))))

/** By `nameOfItem`. Items that do not exist are left out. */
export async function readOwners(reader: Reader, items: ItemReference[]): Promise<Map<string, OwnedItem>> {
  return byName(await selectItems(reader, items))
}

/** Like `readOwners`, and locks the items against transfers, in one order for all units of work. */
export async function lockOwners(tx: Transaction, items: ItemReference[]): Promise<Map<string, OwnedItem>> {
  return byName(await locksForUpdate(tx, selectItems(tx, items)))
}

function selectItems(reader: Reader, items: ItemReference[]) {
  const { userItems } = reader.tables
  const { collectibleId, serialNumber } = userItems
  return reader
    .select({
      collectibleId,
      serialNumber,
      drawnBy: userItems.userId,
      ownerId: userItems.ownerId,
      changedHandsAt: userItems.changedHandsAt,
    })
    .from(userItems)
    .where(isOneOf(userItems, items))
    .orderBy(asc(collectibleId), asc(serialNumber))
}

const byName = (rows: Awaited<ReturnType<typeof selectItems>>) =>
  new Map(
    rows.map(({ drawnBy, ownerId, changedHandsAt, ...item }) => [
      nameOfItem(item),
      { ownerId: ownerId ?? drawnBy, changedHandsAt },
    ]),
  )
