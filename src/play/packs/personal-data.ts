/**
 * Exports the purchases, packs and items of a fan, never with the seed of a sealed pack; erases what the fan chose; and transfers
 * the items of a merged record, which their histories show.
 */
import { and, asc, eq, isNotNull, ne } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import type { Merge } from '../../core/caller.ts'
import { lockOwners } from './owners.ts'
import { isOwnedBy } from './ownership.ts'
import { collectibleColumns } from './packs.ts'
import { presentPurchase, presentUserPack } from './present.ts'
import { transferItems } from './transfer-items.ts'

/** Oldest first. */
export async function* exportPurchases(reader: Reader, userId: string) {
  const { packPurchases } = reader.tables
  const rows = eachRow({ id: packPurchases.id }, after =>
    reader
      .select()
      .from(packPurchases)
      .where(and(eq(packPurchases.userId, userId), after)),
  )
  for await (const row of rows) {
    const { userPack: _, ...purchase } = presentPurchase(row, undefined, reader.now())
    yield { ...purchase, refundedAt: row.refundedAt, paymentReference: row.paymentReference }
  }
}

/** Oldest first, each with its drawn items: with `exportGivenItems` they are the fan's collection. */
export async function* exportPacks(reader: Reader, userId: string) {
  const { userPacks, packPurchases, userItems, collectibles } = reader.tables
  const { id } = userPacks
  const rows = eachRow({ id }, after =>
    reader
      .select({ id, userPack: userPacks, seedHash: packPurchases.seedHash })
      .from(userPacks)
      .innerJoin(packPurchases, eq(packPurchases.id, userPacks.purchaseId))
      .where(and(eq(userPacks.userId, userId), after)),
  )
  for await (const { userPack, seedHash } of rows) {
    const items = await reader
      .select({
        ...collectibleColumns(reader),
        serialNumber: userItems.serialNumber,
        createdAt: userItems.createdAt,
      })
      .from(userItems)
      .innerJoin(collectibles, eq(collectibles.id, userItems.collectibleId))
      .where(eq(userItems.userPackId, userPack.id))
      .orderBy(asc(userItems.position))
    const { clientSeed, revokedAt } = userPack
    yield { ...presentUserPack(userPack, seedHash), clientSeed, revokedAt, items: items.map(presentTexts) }
  }
}

/** Collectibles that were given without a pack, oldest first. */
export async function exportGivenItems(reader: Reader, userId: string) {
  const { userItems, collectibles } = reader.tables
  const { givenFor, serialNumber, createdAt } = userItems
  const rows = await reader
    .select({ ...collectibleColumns(reader), givenFor, serialNumber, createdAt })
    .from(userItems)
    .innerJoin(collectibles, eq(collectibles.id, userItems.collectibleId))
    .where(and(eq(userItems.userId, userId), isNotNull(givenFor)))
    .orderBy(asc(createdAt), asc(givenFor))
  return rows.map(presentTexts)
}

/** The items that the fan owns and received from another fan, by id and serial number. */
export async function exportReceivedItems(reader: Reader, userId: string) {
  const { userItems, collectibles } = reader.tables
  const { serialNumber, changedHandsAt } = userItems
  const rows = await reader
    .select({ ...collectibleColumns(reader), serialNumber, changedHandsAt })
    .from(userItems)
    .innerJoin(collectibles, eq(collectibles.id, userItems.collectibleId))
    .where(eq(userItems.ownerId, userId))
    .orderBy(asc(collectibles.id), asc(serialNumber))
  return rows.map(presentTexts)
}

/** The transfers in which the fan received items, by item. */
export async function exportItemTransfers(reader: Reader, userId: string) {
  const { itemTransfers } = reader.tables
  const { collectibleId, serialNumber, sequence, ref, salt, createdAt, previousHash, hash } = itemTransfers
  return reader
    .select({ collectibleId, serialNumber, sequence, ref, salt, createdAt, previousHash, hash })
    .from(itemTransfers)
    .where(eq(itemTransfers.ownerId, userId))
    .orderBy(asc(collectibleId), asc(serialNumber), asc(sequence))
}

/** The texts that the fan chose as seeds. Without one, a draw cannot be repeated: see `readProof`. */
export async function deleteClientSeeds(tx: Transaction, userId: string): Promise<void> {
  const { userPacks } = tx.tables
  await tx
    .update(userPacks)
    .set({ clientSeed: '', seedErasedAt: tx.now() })
    .where(and(eq(userPacks.userId, userId), ne(userPacks.clientSeed, '')))
}

/** Items per statement: each takes several parameters, and PostgreSQL limits their number. */
const BATCH = 200

/** Requires that both fans are locked and that the merged fan has no open trades. Returns the number of items. */
export async function moveItems(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { userItems } = tx.tables
  const { collectibleId, serialNumber } = userItems
  const items = await tx
    .select({ collectibleId, serialNumber })
    .from(userItems)
    .where(isOwnedBy(tx, fromId))
    .orderBy(asc(collectibleId), asc(serialNumber))
  for (let start = 0; start < items.length; start += BATCH) {
    const some = items.slice(start, start + BATCH)
    await lockOwners(tx, some)
    const transfers = some.map(item => ({ ...item, fromId, toId: intoId }))
    // No resting time, since the same person keeps the items. Null instead of a time: the clock of another instance may be
    // ahead.
    if (!(await transferItems(tx, transfers, { ref: 'merge', restedAt: null })))
      throw new Error('an item left a fan who was being merged')
  }
  return items.length
}
