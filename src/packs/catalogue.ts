/** Packs as anybody sees them: price, odds, and what is left by the clock. */
import { and, asc, count, eq, gt, inArray, isNull, lte, or } from 'drizzle-orm'
import type { Reader, Tables } from '../../db/index.ts'
import { DomainError } from '../problems.ts'
import type { Weight } from './draw.ts'
import { oddsOf } from './odds.ts'

export type PackRow = Tables['packs']['$inferSelect']

/** Active flag on, and inside its window: from `startsAt` on, until before `endsAt`. */
export function isActive(pack: PackRow, now: Date): boolean {
  return pack.active && (!pack.startsAt || pack.startsAt <= now) && (!pack.endsAt || now < pack.endsAt)
}

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
  const active = await reader
    .select()
    .from(packs)
    .where(
      and(
        eq(packs.active, true),
        or(isNull(packs.startsAt), lte(packs.startsAt, now)),
        or(isNull(packs.endsAt), gt(packs.endsAt, now)),
      ),
    )
    .orderBy(asc(packs.id))
  const ids = active.map(({ id }) => id)
  const [items, held] = [await readItems(reader, ids), await countHolds(reader, ids, now)]
  return {
    packs: active.map(pack => presentPack(pack, items.get(pack.id) ?? [], held.get(pack.id) ?? 0, now)),
  }
}

/** A pack, active or not, with what it may hold. @throws DomainError `pack_not_found` */
export async function readPack(reader: Reader, packId: string) {
  const pack = await requirePack(reader, packId)
  const items = (await readItems(reader, [packId])).get(packId) ?? []
  const held = (await countHolds(reader, [packId], reader.now())).get(packId) ?? 0
  return { ...presentPack(pack, items, held, reader.now()), items }
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
      id: collectibles.id,
      name: collectibles.name,
      description: collectibles.description,
      imageUrl: collectibles.imageUrl,
      rarity: collectibles.rarity,
      weight: packItems.weight,
    })
    .from(packItems)
    .innerJoin(collectibles, eq(collectibles.id, packItems.collectibleId))
    .where(inArray(packItems.packId, packIds))
    .orderBy(asc(packItems.packId), asc(collectibles.id))
  const byPack = new Map<string, PackItem[]>()
  for (const { packId, ...item } of rows) byPack.set(packId, [...(byPack.get(packId) ?? []), item])
  return byPack
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
