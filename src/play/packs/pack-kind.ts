/**
 * Imports packs. Price, number of items and weights may change at any time: each purchase freezes them when it starts,
 * and the draw and its proof use the frozen ones. The rarity of a collectible must not change.
 */
import { and, asc, eq, inArray, ne, notInArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import {
  compareEntries,
  completeEntry,
  type EntryChange,
  type EntryFault,
  instantOf,
  refuseEntry,
  slugFaults,
} from '../../club/catalogue/entry.ts'
import { columnsIn, statedTexts, type Text } from '../../club/catalogue/texts.ts'
import { isCurrencyOrPoints } from '../../core/currencies.ts'
import { declareRestrictedKind } from '../eligibility/kind.ts'
import { columnsOfRequires, normalizeRequires, requiresOf, statedRequires } from '../eligibility/requires.ts'
import { statedTaxRate, storedTaxRate, taxRateFaults } from '../purchases/tax-rate.ts'
import { PackEntry, PackItemEntry } from './entry-schema.ts'
import { weightsProblem } from './odds.ts'
import { countHolds, type PackItem, type PackRow, readItems } from './packs.ts'
import { lockPack } from './supply.ts'
import { descriptionOf, planCollectibles, upsertCollectibles } from './upsert-collectibles.ts'

/** The rules that the schema cannot express. */
function packFaults(entry: PackEntry): EntryFault[] {
  const { price, items } = entry
  const problem = weightsProblem(items.map(({ id, weight }) => ({ id, weight, rarity: '' })))
  return [
    ...(isCurrencyOrPoints(price.currency)
      ? []
      : [{ pointer: '/price/currency', message: 'must be POINTS or a currency of ISO 4217' }]),
    ...taxRateFaults(entry.taxRate),
    ...(problem
      ? [{ pointer: '/items', message: problem.replace(/^the weights/, 'have weights that') }]
      : []),
    ...items.flatMap((item, index) => [
      ...slugFaults(item.id).map(fault => ({ ...fault, pointer: `/items/${index}/id` })),
      ...halfDescribed(item, index),
    ]),
  ]
}

/** An item has all members of the description or none: an incomplete description would be ignored. */
function halfDescribed(item: PackEntry['items'][number], index: number): EntryFault[] {
  const told = [item.name, item.description, item.rarity, item.imageUrl].some(member => member != null)
  if (!told || descriptionOf(item)) return []
  return [
    { pointer: `/items/${index}`, message: 'needs name, description and rarity together, or none of them' },
  ]
}

/**
 * @throws DomainError `catalogue_conflict` if more packs are sold and held than the supply has, and as `planCollectibles`
 */
async function upsertPack(tx: Transaction, entry: PackEntry): Promise<EntryChange> {
  const { packs } = tx.tables
  const { id } = entry
  const now = tx.now()
  const columns = columnsIn(packs, membersOf(entry))
  // Locks the pack before its collectibles, as a purchase does.
  const [made] = await tx
    .insert(packs)
    .values({ ...columns, id, supplySold: 0, createdAt: now, updatedAt: now })
    .onConflictDoNothing()
    .returning()
  const locked = made ? undefined : await lockPack(tx, id)
  const change = await changeOf(tx, locked?.pack, entry, locked?.now ?? now)
  if (change.outcome === 'unchanged') return change
  const described = await upsertCollectibles(tx, entry.items)
  await replaceItems(tx, entry)
  if (!made) {
    await tx
      .update(packs)
      .set({ ...columns, updatedAt: now })
      .where(eq(packs.id, id))
  }
  return { ...change, others: await findOthersWith(tx, described, id) }
}

/** Other packs with one of these collectibles. */
async function findOthersWith(tx: Transaction, collectibleIds: string[], packId: string): Promise<string[]> {
  if (collectibleIds.length === 0) return []
  const { packItems } = tx.tables
  const rows = await tx
    .selectDistinct({ packId: packItems.packId })
    .from(packItems)
    .where(and(inArray(packItems.collectibleId, collectibleIds), ne(packItems.packId, packId)))
    .orderBy(asc(packItems.packId))
  return rows.map(row => row.packId)
}

async function replaceItems(tx: Transaction, { id: packId, items }: PackEntry): Promise<void> {
  const { packItems } = tx.tables
  const kept = items.map(({ id }) => id)
  await tx
    .delete(packItems)
    .where(and(eq(packItems.packId, packId), notInArray(packItems.collectibleId, kept)))
  for (const { id: collectibleId, weight } of items) {
    await tx
      .insert(packItems)
      .values({ packId, collectibleId, weight })
      .onConflictDoUpdate({ target: [packItems.packId, packItems.collectibleId], set: { weight } })
  }
}

async function changeOf(
  reader: Reader,
  row: PackRow | undefined,
  entry: PackEntry,
  now: Date,
): Promise<EntryChange> {
  const descriptions = await planCollectibles(reader, entry.items)
  if (!row) return compareEntries(undefined, entry)
  if (entry.supply != null) await requireSupply(reader, row, entry.supply, now)
  const items = (await readItems(reader, [row.id])).get(row.id) ?? []
  const after = entry.items.map(({ id, weight }) => ({ id, weight, ...descriptions.get(id) }))
  const { priceAmount, priceCurrency, supplyTotal, taxRate: _t, requires: _, ...members } = membersOf(entry)
  return compareEntries(
    {
      ...statedTexts(row),
      price: { amount: row.priceAmount, currency: row.priceCurrency },
      taxRate: statedTaxRate(row.taxRate),
      supply: row.supplyTotal,
      requires: requiresOf(row),
      ...itemMembers(items.map(statedTexts)),
    },
    {
      ...members,
      price: { amount: priceAmount, currency: priceCurrency },
      taxRate: entry.taxRate ?? null,
      supply: supplyTotal,
      requires: normalizeRequires(entry.requires),
      // Removed items are null.
      ...Object.fromEntries(items.map(({ id }) => [`items/${id}`, null])),
      ...itemMembers(after),
    },
  )
}

type StatedItem = Partial<Omit<PackItem, 'name' | 'description' | 'translations'>> & {
  id: string
  name?: Text
  description?: Text
}

/** One member per item, so that a report names the item that changed. */
function itemMembers(items: StatedItem[]) {
  return Object.fromEntries(
    items.map(({ id, weight, name, description, imageUrl, rarity }) => [
      `items/${id}`,
      { weight, name, description, imageUrl, rarity },
    ]),
  )
}

async function requireSupply(reader: Reader, { id, supplySold }: PackRow, supply: number, now: Date) {
  const held = (await countHolds(reader, [id], now)).get(id) ?? 0
  if (supply >= supplySold + held) return
  const message = `must be at least ${supplySold + held}: ${supplySold} are sold and ${held} held`
  refuseEntry({ pointer: '/supply', message })
}

function membersOf(entry: PackEntry) {
  const {
    id: _,
    items: _i,
    price,
    taxRate,
    supply,
    requires,
    startsAt,
    endsAt,
    ...members
  } = completeEntry(PackEntry, entry)
  return {
    ...members,
    priceAmount: price.amount,
    priceCurrency: price.currency,
    taxRate: storedTaxRate(taxRate),
    supplyTotal: supply,
    ...columnsOfRequires(requires),
    startsAt: instantOf(startsAt),
    endsAt: instantOf(endsAt),
  }
}

function entryOf(row: PackRow, items: PackItem[]): PackEntry {
  const { startsAt, endsAt, priceAmount, priceCurrency, supplyTotal } = row
  const stated = {
    ...statedTexts(row),
    price: { amount: priceAmount, currency: priceCurrency },
    taxRate: statedTaxRate(row.taxRate),
    supply: supplyTotal,
    requires: statedRequires(row),
    // Guarantee of the cast: only valid entries are written.
    items: items.map(item => completeEntry(PackItemEntry, statedTexts(item) as PackItemEntry)),
    startsAt: startsAt?.toISOString() ?? null,
    endsAt: endsAt?.toISOString() ?? null,
  }
  return completeEntry(PackEntry, stated)
}

export const packKind = declareRestrictedKind({
  kind: 'pack',
  list: 'packs',
  about: 'Collectibles that are drawn when a fan opens one.',
  schema: PackEntry,
  givesValue: true,
  table: ({ packs }) => packs,
  faults: packFaults,
  requiresOf: ({ requires }) => requires,
  collectiblesOf: ({ items }) => items.map(({ id }) => id),
  async plan(reader, entry) {
    const { packs } = reader.tables
    const [row] = await reader.select().from(packs).where(eq(packs.id, entry.id))
    return changeOf(reader, row, entry, reader.now())
  },
  upsert: upsertPack,
  async read(reader, ids) {
    const { packs } = reader.tables
    const rows = await reader.select().from(packs).where(inArray(packs.id, ids))
    const items = await readItems(
      reader,
      rows.map(({ id }) => id),
    )
    return rows.map(row => entryOf(row, items.get(row.id) ?? []))
  },
  takenBy: 'sale',
  async readInventory(reader, ids) {
    const { packs } = reader.tables
    const { id, supplyTotal: total, supplySold: taken } = packs
    const rows = await reader.select({ id, total, taken }).from(packs).where(inArray(id, ids))
    return new Map(rows.map(({ id, ...units }) => [id, units]))
  },
})
