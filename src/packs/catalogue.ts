/** Packs as anybody sees them: price, odds, and what is left by the clock. */
import { and, asc, count, eq, gt, inArray } from 'drizzle-orm'
import type { Reader, Tables } from '../../db/index.ts'
import { DomainError } from '../problems.ts'
import { activeAt, isActive } from '../window.ts'
import type { Weight } from './draw.ts'
import { oddsOf } from './odds.ts'

export type PackRow = Tables['packs']['$inferSelect']

/** @throws DomainError `pack_not_found` */
export async function requirePack(reader: Reader, packId: string): Promise<PackRow> {
  const { packs } = reader.tables
  const [pack] = await reader.select().from(packs).where(eq(packs.id, packId))
  if (!pack) throw new DomainError('pack_not_found')
  return pack
}

export async function listPacks(reader: Reader) {
  const { packs } = reader.tables
  const now = reader.now()
  const active = await reader.select().from(packs).where(activeAt(packs, now)).orderBy(asc(packs.id))
  const ids = active.map(({ id }) => id)
  const [items, held] = [await readItems(reader, ids), await countHolds(reader, ids, now)]
  return {
    packs: active.map(pack => presentPack(pack, items.get(pack.id) ?? [], held.get(pack.id) ?? 0, now)),
  }
}

/** A pack, active or not, with what it may hold. @throws DomainError `pack_not_found` */
export async function readPack(reader: Reader, packId: string) {
  const now = reader.now()
  const pack = await requirePack(reader, packId)
  const items = (await readItems(reader, [packId])).get(packId) ?? []
  const held = (await countHolds(reader, [packId], now)).get(packId) ?? 0
  return { ...presentPack(pack, items, held, now), items }
}

/** A collectible with its share of a pack. */
export interface PackItem extends Weight {
  name: string
  description: string
  imageUrl: string | null
}

/** By pack; the items of each by id. */
export async function readItems(reader: Reader, packIds: string[]): Promise<Map<string, PackItem[]>> {
  if (packIds.length === 0) return new Map()
  const { packItems, collectibles } = reader.tables
  const rows = await reader
    .select({
      packId: packItems.packId,
      ...collectibleColumns(reader),
      weight: packItems.weight,
    })
    .from(packItems)
    .innerJoin(collectibles, eq(collectibles.id, packItems.collectibleId))
    .where(inArray(packItems.packId, packIds))
    .orderBy(asc(packItems.packId), asc(collectibles.id))
  const byPack = Map.groupBy(rows, ({ packId }) => packId)
  return new Map([...byPack].map(([packId, items]) => [packId, items.map(({ packId: _, ...item }) => item)]))
}

/** A collectible as every answer shows it. */
export function collectibleColumns({ tables: { collectibles } }: Pick<Reader, 'tables'>) {
  const { id, name, description, imageUrl, rarity } = collectibles
  return { id, name, description, imageUrl, rarity }
}

/** Live holds by pack: an expired one counts no more from that very instant, whether or not any job ran. */
export async function countHolds(reader: Reader, packIds: string[], now: Date): Promise<Map<string, number>> {
  if (packIds.length === 0) return new Map()
  const { packPurchases } = reader.tables
  const rows = await reader
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
  return new Map(rows.map(({ packId, held }) => [packId, Number(held)]))
}

function presentPack(pack: PackRow, items: PackItem[], held: number, now: Date) {
  const { supplyTotal: total } = pack
  return {
    id: pack.id,
    name: pack.name,
    description: pack.description,
    imageUrl: pack.imageUrl,
    price: { amount: pack.priceAmount, currency: pack.priceCurrency },
    itemsPerPack: pack.itemsPerPack,
    supply: total === null ? null : { total, remaining: Math.max(0, total - pack.supplySold - held) },
    odds: oddsOf(items),
    active: isActive(pack, now),
    startsAt: pack.startsAt?.toISOString() ?? null,
    endsAt: pack.endsAt?.toISOString() ?? null,
  }
}

/** When the next hold of any pack gives back what it holds; null when there is none. */
export async function nextExpiry(reader: Reader, now: Date): Promise<Date | null> {
  const { packPurchases, packs } = reader.tables
  // Pack by pack, as the index of holds has them.
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
