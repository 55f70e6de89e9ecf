/** Changes the owner of an item, and appends the change to its provenance. */
import { and, desc, eq, isNull, lte, or } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { noteArrival } from './arrivals.ts'
import { isOwnedBy } from './ownership.ts'
import { hashOfLink, hashOfOwner, originHashOf } from './provenance-chain.ts'

const SALT_BYTES = 16

export interface Transfer {
  collectibleId: string
  serialNumber: number
  fromId: string
  toId: string
  /** What moves it, such as `trade:ID`. */
  ref: string
  /** An item that changed hands after this time rests. */
  restedAt: Date
}

/**
 * False, with nothing changed, if the item is not owned by `fromId` or rests. The statement locks the item: callers pass the items of
 * one unit of work in the order of their ids.
 */
export async function transferItem(tx: Transaction, transfer: Transfer): Promise<boolean> {
  const { collectibleId, serialNumber, toId, ref } = transfer
  const [item] = await updateOwner(tx, transfer, tx.now())
  if (!item) return false
  const [last] = await selectLast(tx, collectibleId, serialNumber)
  const link = {
    collectibleId,
    serialNumber,
    sequence: (last?.sequence ?? 1) + 1,
    ref,
    createdAt: tx.now(),
    previousHash: last?.hash ?? originHashOf(item),
  }
  const salt = Buffer.from(tx.randomBytes(SALT_BYTES)).toString('hex')
  const hash = hashOfLink({
    ...link,
    timestamp: link.createdAt.toISOString(),
    ownerHash: hashOfOwner(salt, toId),
  })
  await insertLink(tx, { ...link, ownerId: toId, salt, hash })
  noteArrival(tx, { userId: toId, collectibleId })
  return true
}

const updateOwner = prepared(
  (tx: Transaction, { collectibleId, serialNumber, fromId, toId, restedAt }: Transfer, now: Date) => {
    const { userItems } = tx.tables
    return tx
      .update(userItems)
      .set({ ownerId: toId, changedHandsAt: now })
      .where(
        and(
          eq(userItems.collectibleId, collectibleId),
          eq(userItems.serialNumber, serialNumber),
          isOwnedBy(tx, fromId),
          or(isNull(userItems.changedHandsAt), lte(userItems.changedHandsAt, restedAt)),
        ),
      )
      .returning()
  },
)

const selectLast = prepared((reader: Reader, collectibleId: string, serialNumber: number) => {
  const { itemTransfers } = reader.tables
  return reader
    .select({ sequence: itemTransfers.sequence, hash: itemTransfers.hash })
    .from(itemTransfers)
    .where(and(eq(itemTransfers.collectibleId, collectibleId), eq(itemTransfers.serialNumber, serialNumber)))
    .orderBy(desc(itemTransfers.sequence))
    .limit(1)
})

const insertLink = prepared((tx: Transaction, link: Tables['itemTransfers']['$inferInsert']) =>
  tx.insert(tx.tables.itemTransfers).values(link),
)
