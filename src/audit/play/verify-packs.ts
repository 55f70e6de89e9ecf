/** Repeats the draws of opened packs, and recounts the counters of packs and collectibles. */
import { and, eq, isNull, max, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'
import { type DrawTerms, drawItems, hashSeed, parseTerms } from '../../play/packs/draw.ts'

type Purchase = Tables['packPurchases']['$inferSelect']
type Pack = Tables['userPacks']['$inferSelect']
type Item = Tables['userItems']['$inferSelect']

/** Selects packs by the fan who bought them. Needs a snapshot: a pack and its items are read by separate statements. */
export async function findWrongPacks(reader: Reader, range: Range): Promise<Finding[]> {
  const { packPurchases: purchases, userPacks: packs, userItems: items, users } = reader.tables
  const rows = await reader
    .select({ purchase: purchases, pack: packs, erasedAt: users.erasedAt })
    .from(purchases)
    .leftJoin(packs, eq(packs.purchaseId, purchases.id))
    .leftJoin(users, eq(users.id, purchases.userId))
    .where(inRange(purchases.userId, range))
  const drawn = await reader
    .select({ item: items, mergedInto: users.mergedIntoId })
    .from(items)
    .innerJoin(packs, eq(packs.id, items.userPackId))
    .innerJoin(purchases, eq(purchases.id, packs.purchaseId))
    .leftJoin(users, eq(users.id, items.userId))
    .where(inRange(purchases.userId, range))
  const byPack = Map.groupBy(drawn, ({ item }) => item.userPackId)
  return rows.flatMap(({ purchase, pack, erasedAt }) => [
    ...purchaseFindings(purchase, pack),
    // Only an erasure may delete the seed, which is needed to repeat the draw.
    ...(pack?.seedErasedAt && !erasedAt
      ? differs(pack.userId, `user_packs.seed_erased_at of ${pack.id}`, null, pack.seedErasedAt)
      : []),
    ...(pack ? packFindings(purchase, pack, byPack.get(pack.id) ?? []) : []),
  ])
}

function purchaseFindings(purchase: Purchase, pack: Pack | null): Finding[] {
  const { id, userId, packId, serverSeed, seedHash, terms, completedAt } = purchase
  const found = (column: string, expected: string | null, actual: string | null) =>
    differs(userId, `pack_purchases.${column} of ${id}`, expected, actual)
  return [
    ...found('seed_hash', hashSeed(serverSeed), seedHash),
    ...found('terms', packId, readTerms(terms)?.packId ?? null),
    ...differs(userId, `user_packs.row of ${id}`, completedAt && 'set', pack && 'set'),
  ]
}

function readTerms(text: string): DrawTerms | null {
  try {
    return parseTerms(text)
  } catch {
    return null
  }
}

/** A pack whose purchase is refunded must be revoked, unless it was opened. */
function packFindings(
  purchase: Purchase,
  pack: Pack,
  drawn: { item: Item; mergedInto: string | null }[],
): Finding[] {
  const { id, userId, openedAt, revokedAt } = pack
  const nameOf = (column: string) => `user_packs.${column} of ${id}`
  const { refundedAt } = purchase
  const isPaidBack = purchase.status !== 'completed' && openedAt === null
  const terms = readTerms(purchase.terms)
  const isKnown = pack.seedErasedAt === null
  const drawnAgain =
    openedAt && terms
      ? drawItems({ ...terms, ...purchase, clientSeed: pack.clientSeed ?? '', userPackId: id })
      : []
  const byPosition = drawn.toSorted(({ item: a }, { item: b }) => (a.position ?? 0) - (b.position ?? 0))
  return [
    ...differs(userId, nameOf('user_id'), purchase.userId, userId),
    ...differs(userId, nameOf('pack_id'), purchase.packId, pack.packId),
    ...differsInTime(userId, nameOf('created_at'), purchase.completedAt, pack.createdAt),
    ...differs(userId, nameOf('revoked_at'), isPaidBack ? 'set' : null, revokedAt && 'set'),
    // It may have been revoked earlier, when the refund became due.
    ...(revokedAt && refundedAt && revokedAt > refundedAt
      ? differsInTime(userId, nameOf('revoked_at'), refundedAt, revokedAt)
      : []),
    ...differs(
      userId,
      `user_items.collectible_id of ${id}`,
      JSON.stringify(drawnAgain.map((collectibleId, position) => [position, isKnown && collectibleId])),
      JSON.stringify(byPosition.map(({ item }) => [item.position, isKnown && item.collectibleId])),
    ),
    ...byPosition.flatMap(({ item, mergedInto }) => [
      ...differsInTime(userId, `user_items.created_at of ${id} ${item.position}`, openedAt, item.createdAt),
      // An item of a merged fan stays with the merged record.
      ...(mergedInto === userId ? [] : differs(userId, `user_items.user_id of ${id}`, userId, item.userId)),
    ]),
  ]
}

/**
 * The number of sold packs must equal the packs of fans, and the serial numbers of a collectible must be 1 to the number of
 * its items.
 */
export async function findWrongSupply(reader: Reader): Promise<Finding[]> {
  const { packs, userPacks, collectibles, userItems: items } = reader.tables
  const soldPacks = reader
    .select({ sold: sql`count(*)` })
    .from(userPacks)
    .where(and(eq(userPacks.packId, packs.id), isNull(userPacks.revokedAt)))
  const sold = await reader
    .select({ id: packs.id, supplySold: packs.supplySold, sold: sql<number>`(${soldPacks})`.mapWith(Number) })
    .from(packs)
  const counted = await reader
    .select({
      id: collectibles.id,
      minted: collectibles.minted,
      items: sql`count(${items.serialNumber})`.mapWith(Number),
      last: max(items.serialNumber),
    })
    .from(collectibles)
    .leftJoin(items, eq(items.collectibleId, collectibles.id))
    .groupBy(collectibles.id, collectibles.minted)
  return [
    ...sold.flatMap(({ id, sold, supplySold }) =>
      differs(null, `packs.supply_sold of ${id}`, sold, supplySold),
    ),
    ...counted.flatMap(({ id, minted, items, last }) => [
      ...differs(null, `collectibles.minted of ${id}`, items, minted),
      ...differs(null, `user_items.serial_number of ${id}`, items, last ?? 0),
    ]),
  ]
}
