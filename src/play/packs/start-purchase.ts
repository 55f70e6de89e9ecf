/** Starts a purchase: holds one pack for 15 minutes, freezes price and odds, and publishes the hash of the server seed. */

import { and, eq, gt, sql } from 'drizzle-orm'
import type { Reader, Sources, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { lockAccount, readBalance } from '../../economy/points/account.ts'
import { insufficientPoints } from '../../economy/points/ledger.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { POINTS } from '../purchases/purchase.ts'
import { findPackWithWeights, type PackRow } from './catalogue.ts'
import { canonicalTerms, hashSeed, type Weight } from './draw.ts'
import { weightsProblem } from './odds.ts'
import { type PurchaseRow, presentPurchase } from './present.ts'
import { packProblems } from './problems.ts'
import type { StartPurchase } from './schema.ts'
import { countFree, countUnsold, lockPack } from './supply.ts'

export const HOLD_MS = 15 * 60_000

/** `holdsPerFan`: the maximum of pending purchases of one pack per fan; 0 for no limit. */
export async function startPurchase(
  tx: Transaction,
  caller: Caller,
  { packId }: StartPurchase,
  holdsPerFan: number,
): Promise<ReturnType<typeof presentPurchase>> {
  const found = await findPackWithWeights(tx, packId)
  if (!found) throw new DomainError(packProblems.pack_not_found)
  requireActive(found.pack, tx.clock())
  const { userId } = caller
  await requireEligible(tx, { userId }, { requires: requiresOf(found.pack) })
  // Checked before the lock, so that a crowd does not wait for it.
  if (countUnsold(found.pack) < 1) throw new DomainError(packProblems.sold_out)
  const balance = found.pack.priceCurrency === POINTS ? (await readBalance(tx, userId)).balance : 0

  const locked = found.pack.supplyTotal === null ? undefined : await lockPack(tx, packId)
  // The pack changed during the wait for the lock.
  if (locked && locked.pack.updatedAt.getTime() !== found.pack.updatedAt.getTime())
    return startPurchase(tx, caller, { packId }, holdsPerFan)
  const { pack, now } = locked ?? { pack: found.pack, now: tx.clock() }
  requireActive(pack, now)
  if ((await countFree(tx, pack, now)) < 1) throw new DomainError(packProblems.sold_out)
  if (holdsPerFan > 0) {
    // One of the two locks makes the count of the fan's purchases exact.
    if (!locked) await lockAccount(tx, userId)
    await requireFreeHold(tx, userId, packId, now, holdsPerFan)
  }
  if (pack.priceCurrency === POINTS && balance < pack.priceAmount)
    throw insufficientPoints(pack.priceAmount, balance)

  // A fan must not pay for a pack whose weights cannot be drawn with the odds shown.
  const problem = weightsProblem(found.weights)
  if (problem)
    throw new DomainError(packProblems.pack_inactive, { detail: `The pack is not ready: ${problem}.` })
  const purchase = preparePurchase(tx, { pack, weights: found.weights, userId, now })
  await insertPurchase(tx, purchase)
  return presentPurchase(purchase, undefined, now)
}

export const insertPurchase = prepared((tx: Transaction, purchase: PurchaseRow) =>
  tx.insert(tx.tables.packPurchases).values(purchase),
)

/** Columns that are set by later steps. */
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

async function requireFreeHold(tx: Transaction, userId: string, packId: string, now: Date, max: number) {
  const [held] = await selectHeld(tx, { packId, userId, now })
  if ((held?.count ?? 0) < max) return
  throw new DomainError(packProblems.too_many_holds, {
    detail: `A fan may hold ${max} of a pack at once: complete one, or let it expire.`,
  })
}

const selectHeld = prepared((reader: Reader, of: { packId: string; userId: string; now: Date }) => {
  const { packPurchases: purchases } = reader.tables
  return reader
    .select({ count: sql`count(*)`.mapWith(Number) })
    .from(purchases)
    .where(
      and(
        eq(purchases.packId, of.packId),
        eq(purchases.userId, of.userId),
        eq(purchases.status, 'pending'),
        gt(purchases.expiresAt, of.now),
      ),
    )
})

function requireActive(pack: PackRow, now: Date): void {
  if (!isActive(pack, now)) throw new DomainError(packProblems.pack_inactive)
}
