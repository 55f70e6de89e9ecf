/**
 * Packs, the same for everyone: price, odds and supply. A fan also sees what blocks a purchase. Bought (`start-purchase.ts`,
 * `pay.ts`) or given (`give-packs.ts`), a pack is sealed, then opened, once (`open-pack.ts`), or revoked by a refund (`refund.ts`).
 */

import { and, asc, count, eq, gt, inArray } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { activeAt, earliest, isActive, readNextChange } from '../../club/catalogue/availability.ts'
import { presentTexts, statedTexts } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { packsTag } from '../../platform/cache/tags.ts'
import { showBlockers } from '../eligibility/eligibility.ts'
import { type Requires, requiresOf } from '../eligibility/requires.ts'
import { oddsOf } from './odds.ts'
import { packProblems } from './problems.ts'

export type PackRow = Tables['packs']['$inferSelect']

const selectPack = prepared((reader: Reader, packId: string) => {
  const { packs } = reader.tables
  return reader.select().from(packs).where(eq(packs.id, packId))
})

/** What packs require of the fan who buys them, by id. */
export async function readPackRequires(reader: Reader, packIds: string[]): Promise<Map<string, Requires>> {
  if (packIds.length === 0) return new Map()
  const { id, requires } = reader.tables.packs
  const rows = await reader.select({ id, requires }).from(reader.tables.packs).where(inArray(id, packIds))
  return new Map(rows.map(row => [row.id, requiresOf(row)]))
}

/** From the response cache. */
export const getPacks = ({ read, cache }: ReadSource) =>
  cache.get('packs', async () => ({
    expiresAt: await findExpiry(read),
    value: await listPacks(read),
    tags: [packsTag],
  }))

/** From the response cache. */
export const getPack = ({ read, cache }: ReadSource, packId: string) =>
  cache.get(`pack ${packId}`, async () => ({
    expiresAt: await findExpiry(read),
    value: await readPack(read, packId),
    tags: [packsTag],
  }))

/** The packs as a fan sees them; the response is not cached. */
export async function readPacksFor(source: ReadSource, viewer: Viewer) {
  const { packs } = await getPacks(source)
  return { packs: await showBlockers(source.read, viewer, packs) }
}

/** @throws DomainError `pack_not_found` */
export async function readPackFor(source: ReadSource, viewer: Viewer, packId: string) {
  const pack = await getPack(source, packId)
  const [shown = pack] = await showBlockers(source.read, viewer, [pack])
  return shown
}

/** The next time when availability changes or a hold expires. Read before the packs, so that no change is missed. */
async function findExpiry(reader: Reader): Promise<Date | null> {
  const now = reader.now()
  return earliest([await readNextChange(reader, reader.tables.packs, now), await readNextExpiry(reader, now)])
}

async function listPacks(reader: Reader) {
  const { packs } = reader.tables
  const now = reader.now()
  const active = await reader.select().from(packs).where(activeAt(packs, now)).orderBy(asc(packs.id))
  const ids = active.map(({ id }) => id)
  const [items, held] = [await readItems(reader, ids), await countHolds(reader, ids, now)]
  return {
    packs: active.map(pack => presentPack(pack, items.get(pack.id) ?? [], held.get(pack.id) ?? 0, now)),
  }
}

/** A pack, active or not, with the items that can be drawn. @throws DomainError `pack_not_found` */
export async function readPack(reader: Reader, packId: string) {
  const now = reader.now()
  const [pack] = await selectPack(reader, packId)
  if (!pack) throw new DomainError(packProblems.pack_not_found)
  const items = (await readItems(reader, [packId])).get(packId) ?? []
  const held = (await countHolds(reader, [packId], now)).get(packId) ?? 0
  return { ...presentPack(pack, items, held, now), items: items.map(presentTexts) }
}

/** A pack with the weights of its items by id, read in one statement. Undefined if it does not exist. */
export async function findPackWithWeights(reader: Reader, packId: string) {
  const rows = await selectWithWeights(reader, packId)
  return rows[0] && { pack: rows[0].pack, weights: rows.flatMap(({ item }) => item ?? []) }
}

const selectWithWeights = prepared((reader: Reader, packId: string) => {
  const { packs, packItems, collectibles } = reader.tables
  const { id, rarity } = collectibles
  const items = reader
    .select({ packId: packItems.packId, id, rarity, weight: packItems.weight })
    .from(packItems)
    .innerJoin(collectibles, eq(id, packItems.collectibleId))
    .as('items')
  return reader
    .select({ pack: packs, item: { id: items.id, rarity: items.rarity, weight: items.weight } })
    .from(packs)
    .leftJoin(items, eq(items.packId, packs.id))
    .where(eq(packs.id, packId))
    .orderBy(asc(items.id))
})

/** A collectible with its weight in a pack. */
export type PackItem = Omit<Awaited<ReturnType<typeof itemsOf>>[number], 'packId'>

/** The items by pack, each list in the order of ids. */
export async function readItems(reader: Reader, packIds: string[]): Promise<Map<string, PackItem[]>> {
  const rows = packIds.length === 0 ? [] : await itemsOf(reader, packIds)
  const byPack = Map.groupBy(rows, ({ packId }) => packId)
  return new Map([...byPack].map(([packId, items]) => [packId, items.map(({ packId: _, ...item }) => item)]))
}

function itemsOf(reader: Reader, packIds: string[]) {
  const { packItems, collectibles } = reader.tables
  return reader
    .select({ packId: packItems.packId, ...collectibleColumns(reader), weight: packItems.weight })
    .from(packItems)
    .innerJoin(collectibles, eq(collectibles.id, packItems.collectibleId))
    .where(inArray(packItems.packId, packIds))
    .orderBy(asc(packItems.packId), asc(collectibles.id))
}

/** Query for collectibles, to be joined by `id`. */
export const allCollectibles = (reader: Reader) =>
  reader.select(collectibleColumns(reader)).from(reader.tables.collectibles)

/** Returns the ids that belong to collectibles. */
export async function findCollectibleIds(reader: Reader, ids: string[]): Promise<Set<string>> {
  const { id } = reader.tables.collectibles
  const rows = await reader.select({ id }).from(reader.tables.collectibles).where(inArray(id, ids))
  return new Set(rows.map(row => row.id))
}

/** The columns of a collectible in responses, for `presentTexts`. */
export function collectibleColumns({ tables: { collectibles } }: Pick<Reader, 'tables'>) {
  const { id, name, description, imageUrl, rarity, translations } = collectibles
  return { id, name, description, imageUrl, rarity, translations }
}

/** The collectibles, with their texts in all languages. */
export async function readStatedCollectibles(reader: Reader, ids: string[]) {
  if (ids.length === 0) return []
  const rows = await collectiblesToShow(reader).where(inArray(collectibleColumns(reader).id, ids))
  return rows.map(statedTexts)
}

/** Query for the collectibles, with the columns that a response shows. */
export const collectiblesToShow = (reader: Reader) =>
  reader.select(collectibleColumns(reader)).from(reader.tables.collectibles)

/** Unexpired holds by pack. A hold is not counted after `expiresAt`; no job has to end it. */
export async function countHolds(reader: Reader, packIds: string[], now: Date): Promise<Map<string, number>> {
  if (packIds.length === 0) return new Map()
  // Prepared only for one pack: each length of the list would need its own statement.
  const rows = await (packIds.length === 1 ? selectHolds : holdsOf)(reader, packIds, now)
  return new Map(rows.map(({ packId, held }) => [packId, Number(held)]))
}

function holdsOf(reader: Reader, packIds: string[], now: Date) {
  const { packPurchases } = reader.tables
  return reader
    .select({ packId: packPurchases.packId, held: count() })
    .from(packPurchases)
    .where(
      and(
        inArray(packPurchases.packId, packIds),
        eq(packPurchases.status, 'pending'),
        gt(packPurchases.expiresAt, now),
      ),
    )
    .groupBy(packPurchases.packId)
}

const selectHolds = prepared(holdsOf)

function presentPack(pack: PackRow, items: PackItem[], held: number, now: Date) {
  const { id, name, description, imageUrl, itemsPerPack, supplyTotal: total } = presentTexts(pack)
  return {
    id,
    name,
    description,
    imageUrl,
    price: { amount: pack.priceAmount, currency: pack.priceCurrency },
    itemsPerPack,
    supply: total === null ? null : { total, remaining: Math.max(0, total - pack.supplySold - held) },
    odds: oddsOf(items),
    sponsorId: pack.sponsorId,
    requires: requiresOf(pack),
    tradable: pack.tradable !== false,
    active: isActive(pack, now),
    startsAt: pack.startsAt?.toISOString() ?? null,
    endsAt: pack.endsAt?.toISOString() ?? null,
  }
}

/** When the next hold of any pack expires; null if there is none. */
async function readNextExpiry(reader: Reader, now: Date): Promise<Date | null> {
  const { packPurchases, packs } = reader.tables
  // Naming the packs lets both engines use the index of holds.
  const all = reader.select({ id: packs.id }).from(packs)
  const isHold = and(eq(packPurchases.status, 'pending'), gt(packPurchases.expiresAt, now))
  const [next] = await reader
    .select({ at: packPurchases.expiresAt })
    .from(packPurchases)
    .where(and(inArray(packPurchases.packId, all), isHold))
    .orderBy(asc(packPurchases.expiresAt))
    .limit(1)
  return next?.at ?? null
}
