/** Starts a purchase: holds one pack for 15 minutes, freezes price and odds, and publishes the hash of the server seed. */
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Reader, Sources, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { isActive } from '../catalogue/availability.ts'
import type { Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'
import { readBalance } from '../points/ledger.ts'
import { ensureUserId } from '../users/users.ts'
import { type PackRow, readItems } from './catalogue.ts'
import { canonicalTerms, hashSeed, type Weight } from './draw.ts'
import { weightsProblem } from './odds.ts'
import { type PurchaseRow, presentPurchase } from './present.ts'
import type { StartPurchase } from './schema.ts'
import { countFree, lockPack } from './supply.ts'

export const HOLD_MS = 15 * 60_000
export const POINTS = 'POINTS'

/** `holdsPerFan`: the maximum of pending purchases of one pack per fan; 0 for no limit. */
export async function startPurchase(
  tx: Transaction,
  caller: Caller,
  { packId }: StartPurchase,
  holdsPerFan: number,
) {
  const locked = await lockPack(tx, packId)
  if (!locked) throw new DomainError('pack_not_found')
  const { pack, now } = locked
  if (!isActive(pack, now)) throw new DomainError('pack_inactive')
  if ((await countFree(tx, pack, now)) < 1) throw new DomainError('sold_out')

  const userId = await ensureUserId(tx, caller)
  if (holdsPerFan > 0) await requireFreeHold(tx, userId, packId, now, holdsPerFan)
  const { priceAmount, priceCurrency } = pack
  if (priceCurrency === POINTS) await requirePoints(tx, userId, priceAmount)

  const items = (await readItems(tx, [packId])).get(packId) ?? []
  const weights = items.map(({ id, rarity, weight }) => ({ id, rarity, weight }))
  // A fan must not pay for a pack whose weights cannot be drawn with the odds shown.
  const problem = weightsProblem(weights)
  if (problem) throw new DomainError('pack_inactive', { detail: `The pack is not ready: ${problem}.` })
  const purchase = preparePurchase(tx, { pack, weights, userId, now })
  await insertPurchase(tx, purchase)
  return presentPurchase(purchase, undefined, now)
}
startPurchase.problems = [
  'pack_not_found',
  'pack_inactive',
  'sold_out',
  'too_many_holds',
  'insufficient_points',
] as const

const insertPurchase = prepared((tx: Transaction, purchase: PurchaseRow) =>
  tx.insert(tx.tables.packPurchases).values(purchase),
)

/** Columns that later steps fill. */
const UNSET = { completedAt: null, refundedAt: null, paymentReference: null }

/** A new purchase with its price and terms frozen. */
export function preparePurchase(
  { randomBytes, newId }: Pick<Sources, 'randomBytes' | 'newId'>,
  { pack, weights, userId, now }: { pack: PackRow; weights: Weight[]; userId: string; now: Date },
): PurchaseRow {
  const { id: packId, priceAmount, priceCurrency, itemsPerPack } = pack
  const serverSeed = Buffer.from(randomBytes(32)).toString('hex')
  return {
    id: newId(),
    packId,
    userId,
    status: 'pending',
    priceAmount,
    priceCurrency,
    serverSeed,
    seedHash: hashSeed(serverSeed),
    terms: canonicalTerms({ packId, itemsPerPack, weights }),
    createdAt: now,
    expiresAt: new Date(now.getTime() + HOLD_MS),
    ...UNSET,
  }
}

/** The pack must be locked, so that concurrent purchases are counted. */
async function requireFreeHold(tx: Transaction, userId: string, packId: string, now: Date, max: number) {
  const [held] = await selectHeld(tx, { packId, userId, now })
  if ((held?.count ?? 0) < max) return
  throw new DomainError('too_many_holds', {
    detail: `A fan may hold ${max} of a pack at once: complete one, or let it expire.`,
  })
}

interface HeldValues {
  packId: string
  userId: string
  now: Date
}

const selectHeld = prepared((reader: Reader, { packId, userId, now }: HeldValues) => {
  const { packPurchases: purchases } = reader.tables
  return reader
    .select({ count: sql`count(*)`.mapWith(Number) })
    .from(purchases)
    .where(
      and(
        eq(purchases.packId, packId),
        eq(purchases.userId, userId),
        eq(purchases.status, 'pending'),
        gt(purchases.expiresAt, now),
      ),
    )
})

async function requirePoints(tx: Transaction, userId: string, pointsRequired: number): Promise<void> {
  const { balance } = await readBalance(tx, userId)
  if (balance < pointsRequired) throw insufficientPoints(pointsRequired, balance)
}

export const insufficientPoints = (pointsRequired: number, points: number) =>
  new DomainError('insufficient_points', { pointsRequired, points, missingPoints: pointsRequired - points })
