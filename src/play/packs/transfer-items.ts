/** Changes the owners of items, and appends each change to the provenance of its item. */
import { and, eq, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { noteArrival } from './arrivals.ts'
import { type ItemReference, isOneOf, nameOfItem } from './owners.ts'
import { isOwnedBy } from './ownership.ts'
import { hashOfLink, hashOfOwner, originHashOf } from './provenance-chain.ts'

const SALT_BYTES = 16

export interface Transfer extends ItemReference {
  fromId: string
  toId: string
}

interface Cause {
  /** The cause of the transfer, such as `trade:ID`. */
  ref: string
  /** An item that was transferred after this time cannot be transferred yet. Null: no such limit. */
  restedAt: Date | null
}

/**
 * Takes three statements for any number of items. Returns false if an item is not owned by its `fromId` or cannot be
 * transferred yet: the caller must then undo the unit of work, unless it was the only item. Callers lock several items
 * first: see `lockOwners`.
 */
export async function transferItems(
  tx: Transaction,
  transfers: Transfer[],
  { ref, restedAt }: Cause,
): Promise<boolean> {
  const moved = await updateOwners(tx, transfers, restedAt)
  if (moved.length < transfers.length) return false
  const last = new Map((await selectLast(tx, transfers)).map(link => [nameOfItem(link), link]))
  const receivers = new Map(transfers.map(transfer => [nameOfItem(transfer), transfer.toId]))
  const links = moved.map(item => {
    const { collectibleId, serialNumber } = item
    const before = last.get(nameOfItem(item))
    const link = {
      collectibleId,
      serialNumber,
      ref,
      createdAt: tx.now(),
      sequence: (before?.sequence ?? 1) + 1,
      previousHash: before?.hash ?? originHashOf(item),
    }
    const ownerId = receivers.get(nameOfItem(item)) ?? ''
    const salt = Buffer.from(tx.randomBytes(SALT_BYTES)).toString('hex')
    const ownerHash = hashOfOwner(salt, ownerId)
    const hash = hashOfLink({ ...link, timestamp: link.createdAt.toISOString(), ownerHash })
    return { ...link, ownerId, salt, hash }
  })
  await tx.insert(tx.tables.itemTransfers).values(links)
  for (const { toId, collectibleId } of transfers) noteArrival(tx, { userId: toId, collectibleId })
  return true
}

function updateOwners(tx: Transaction, transfers: Transfer[], restedAt: Date | null) {
  const { userItems } = tx.tables
  const { changedHandsAt } = userItems
  const receivers = transfers.map(({ toId, ...item }) => sql`when ${isOneOf(userItems, [item])} then ${toId}`)
  const owned = transfers.map(({ fromId, ...item }) => and(isOneOf(userItems, [item]), isOwnedBy(tx, fromId)))
  return tx
    .update(userItems)
    .set({ ownerId: sql`case ${sql.join(receivers, sql` `)} end`, changedHandsAt: tx.now() })
    .where(
      and(or(...owned), restedAt ? or(isNull(changedHandsAt), lte(changedHandsAt, restedAt)) : undefined),
    )
    .returning()
}

function selectLast(reader: Reader, items: ItemReference[]) {
  const { itemTransfers: links } = reader.tables
  const { collectibleId, serialNumber, sequence, hash } = links
  const newest: SQL = sql`(select max(later.sequence) from ${links} as later
    where later.collectible_id = ${collectibleId} and later.serial_number = ${serialNumber})`
  return reader
    .select({ collectibleId, serialNumber, sequence, hash })
    .from(links)
    .where(and(isOneOf(links, items), eq(sequence, newest)))
}
