/** Opens a pack, once: draws its items, assigns serial numbers and reveals the seed. */

import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { noteArrival } from './arrivals.ts'
import { inOrderOfIds, parseTerms } from './draw.ts'
import { collectibleColumns } from './packs.ts'
import { type PurchaseRow, presentUserPack, type UserPackRow } from './present.ts'
import { packProblems } from './problems.ts'
import { makeProof, type Proof } from './proof.ts'
import { findPurchase } from './purchases.ts'
import type { OpenPack } from './schema.ts'

/** A repeat returns the same items, also with another seed. */
export async function openPack(
  tx: Transaction,
  { userId }: Caller,
  { userPackId, clientSeed = '' }: OpenPack,
) {
  const [opened] = await updateSealed(tx, userPackId, userId, { openedAt: tx.now(), clientSeed })
  // Otherwise the pack was opened before, was revoked, or belongs to another fan.
  const userPack = opened ?? (await findUserPack(tx, userPackId))
  if (!userPack?.openedAt || userPack.userId !== userId)
    throw new DomainError(packProblems.user_pack_not_found)

  const purchase = await purchaseOf(tx, userPack.purchaseId)
  const proof = proofOf(userPack, purchase)
  if (opened) {
    await recordEvent(tx, { userId, type: 'pack.opened', data: openingOf(proof) })
    await insertItems(tx, opened, proof.items)
  }
  const items = (await selectDrawn(tx, userPackId)).map(presentTexts)
  return { userPack: presentUserPack(userPack, purchase.seedHash), items, proof }
}

/** The data of the event `pack.opened`. */
export function openingOf(proof: Pick<Proof, 'userPackId' | 'packId' | 'items' | 'weights'>) {
  const { userPackId, packId, items, weights } = proof
  const rarityOf = new Map(weights.map(({ id, rarity }) => [id, rarity]))
  const byRarity = Map.groupBy(items, id => rarityOf.get(id) ?? '')
  const rarities = Object.fromEntries([...byRarity].map(([rarity, ids]) => [rarity, ids.length]))
  return { userPackId, packId, items, rarities }
}

type Opening = Pick<UserPackRow, 'openedAt' | 'clientSeed'>

const updateSealed = prepared((tx: Transaction, userPackId: string, userId: string, opening: Opening) => {
  const { userPacks } = tx.tables
  const isSealed = and(isNull(userPacks.openedAt), isNull(userPacks.revokedAt))
  return tx
    .update(userPacks)
    .set(opening)
    .where(and(eq(userPacks.id, userPackId), eq(userPacks.userId, userId), isSealed))
    .returning()
})

async function insertItems(tx: Transaction, { id, userId }: UserPackRow, drawn: string[]) {
  for (const [position, collectibleId] of inOrderOfIds(drawn)) {
    const serialNumber = await nextSerialNumber(tx, collectibleId)
    const createdAt = tx.now()
    await insertItem(tx, { userPackId: id, position, userId, collectibleId, serialNumber, createdAt })
  }
}

type NewItem = Tables['userItems']['$inferInsert']

export async function insertItem(tx: Transaction, item: NewItem): Promise<void> {
  await insertRow(tx, item)
  noteArrival(tx, item)
}

const insertRow = prepared((tx: Transaction, item: NewItem) => tx.insert(tx.tables.userItems).values(item))

export async function nextSerialNumber(tx: Transaction, collectibleId: string): Promise<number> {
  const [row] = await mint(tx, collectibleId)
  if (!row) throw new Error('a drawn collectible is missing from the catalogue')
  return row.minted
}

const mint = prepared((tx: Transaction, collectibleId: string) => {
  const { collectibles } = tx.tables
  return tx
    .update(collectibles)
    .set({ minted: sql`${collectibles.minted} + 1` })
    .where(eq(collectibles.id, collectibleId))
    .returning({ minted: collectibles.minted })
})

/** The items of an opened pack, in the order of the draw. */
export const selectDrawn = prepared((reader: Reader, userPackId: string) => {
  const { userItems, collectibles } = reader.tables
  return reader
    .select({ ...collectibleColumns(reader), serialNumber: userItems.serialNumber })
    .from(userItems)
    .innerJoin(collectibles, eq(collectibles.id, userItems.collectibleId))
    .where(eq(userItems.userPackId, userPackId))
    .orderBy(asc(userItems.position))
})

/** The public proof of an opened pack. A pack whose client seed was erased has no proof: its draw cannot be repeated. */
export async function readProof(reader: Reader, userPackId: string) {
  const userPack = await findUserPack(reader, userPackId)
  if (!userPack?.openedAt || userPack.seedErasedAt) throw new DomainError(packProblems.proof_not_found)
  return proofOf(userPack, await purchaseOf(reader, userPack.purchaseId))
}

function proofOf({ id, clientSeed }: UserPackRow, { terms, serverSeed }: PurchaseRow) {
  return makeProof({ ...parseTerms(terms), serverSeed, clientSeed: clientSeed ?? '', userPackId: id })
}

const findUserPack = preparedRow((reader: Reader, userPackId: string) => {
  const { userPacks } = reader.tables
  return reader.select().from(userPacks).where(eq(userPacks.id, userPackId))
})

async function purchaseOf(reader: Reader, purchaseId: string): Promise<PurchaseRow> {
  const purchase = await findPurchase(reader, purchaseId)
  if (!purchase) throw new Error('a pack has no purchase')
  return purchase
}
