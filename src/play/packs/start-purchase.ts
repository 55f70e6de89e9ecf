/** Starts a purchase: holds one pack for 15 minutes, freezes price and odds, and publishes the hash of the server seed. */

import { and, eq, gt } from 'drizzle-orm'
import type { Reader, Sources, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { withoutLocks } from '../../../db/row-lock.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { lockAccount } from '../../economy/points/account.ts'
import { holdPoints, requireSpendable } from '../../economy/points/holds.ts'
import { readCountry } from '../../identity/users/locks.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { needsMoney, POINTS } from '../purchases/purchase.ts'
import { taxMillionthsFor } from '../purchases/tax-rate.ts'
import { countedSince, requireNoWait } from '../purchases/unpaid-holds.ts'
import { canonicalTerms, hashSeed, type Weight } from './draw.ts'
import { weightsProblem } from './odds.ts'
import { findPackWithWeights, type PackRow } from './packs.ts'
import { type PurchaseRow, presentPurchase } from './present.ts'
import { packProblems } from './problems.ts'
import type { StartPurchase } from './schema.ts'
import { countFree, countUnsold, lockPack } from './supply.ts'

export const HOLD_MS = 15 * 60_000

export type PurchaseLimits = Pick<Settings, 'packHoldsPerFan' | 'paidPacks'>

export async function startPurchase(
  tx: Transaction,
  caller: Caller,
  { packId }: StartPurchase,
  limits: PurchaseLimits,
): Promise<ReturnType<typeof presentPurchase>> {
  const found = await findPackWithWeights(tx, packId)
  if (!found) throw new DomainError(packProblems.pack_not_found)
  requireActive(found.pack, tx.clock())
  const { userId } = caller
  await requireEligible(tx, { userId }, { requires: requiresOf(found.pack) })
  // Checked before the lock, so that a crowd does not wait for it.
  if (countUnsold(found.pack) < 1) throw new DomainError(packProblems.sold_out)

  const locked = found.pack.supplyTotal === null ? undefined : await lockPack(tx, packId)
  // The pack changed during the wait for the lock.
  if (locked && locked.pack.updatedAt.getTime() !== found.pack.updatedAt.getTime())
    return startPurchase(tx, caller, { packId }, limits)
  const { pack, now } = locked ?? { pack: found.pack, now: tx.clock() }
  requireActive(pack, now)
  if (!limits.paidPacks && needsMoney(pack))
    throw new DomainError(packProblems.pack_inactive, { detail: 'The club sells packs for points only.' })
  if ((await countFree(tx, pack, now)) < 1) throw new DomainError(packProblems.sold_out)
  const costsPoints = pack.priceCurrency === POINTS && pack.priceAmount > 0
  // Makes exact what the fan can spend; without a limited supply, whose lock does it, also the count of their purchases.
  const account = costsPoints || !locked ? await lockAccount(tx, userId) : undefined
  await requireFewHolds(tx, { packId, userId, now }, limits.packHoldsPerFan)
  if (costsPoints && account) await requireSpendable(tx, account, pack.priceAmount)

  // A fan must not pay for a pack whose weights cannot be drawn with the odds shown.
  const problem = weightsProblem(found.weights)
  if (problem)
    throw new DomainError(packProblems.pack_inactive, { detail: `The pack is not ready: ${problem}.` })
  const taxCountry = needsMoney(pack) ? await readCountry(withoutLocks(tx), userId) : null
  const purchase = preparePurchase(tx, { pack, weights: found.weights, userId, now, taxCountry })
  await insertPurchase(tx, purchase)
  const { id: purchaseId, priceAmount: amount, expiresAt } = purchase
  if (costsPoints) await holdPoints(tx, { purchaseId, userId, amount, expiresAt })
  return presentPurchase(purchase, undefined, now)
}

export const insertPurchase = prepared((tx: Transaction, purchase: PurchaseRow) =>
  tx.insert(tx.tables.packPurchases).values(purchase),
)

/** Columns that are set by later steps. */
const UNSET = { completedAt: null, cancelledAt: null, refundedAt: null, paymentReference: null }

/** A new purchase with its price, tax and terms frozen. */
export function preparePurchase(
  { randomBytes, newId }: Pick<Sources, 'randomBytes' | 'newId'>,
  {
    pack,
    weights,
    userId,
    now,
    taxCountry = null,
  }: { pack: PackRow; weights: Weight[]; userId: string; now: Date; taxCountry?: string | null },
): PurchaseRow {
  const { id: packId, priceAmount, priceCurrency, taxRate, itemsPerPack } = pack
  const serverSeed = Buffer.from(randomBytes(32)).toString('hex')
  return {
    id: newId(),
    packId,
    userId,
    status: 'pending',
    priceAmount,
    priceCurrency,
    taxCountry,
    taxMillionths: needsMoney(pack) ? taxMillionthsFor(taxRate, taxCountry) : null,
    serverSeed,
    seedHash: hashSeed(serverSeed),
    terms: canonicalTerms({ packId, itemsPerPack, weights }),
    createdAt: now,
    expiresAt: new Date(now.getTime() + HOLD_MS),
    ...UNSET,
  }
}

/** @throws DomainError `too_many_holds` for one pack, `rate_limited` after holds that were not paid */
async function requireFewHolds(
  tx: Transaction,
  { packId, userId, now }: { packId: string; userId: string; now: Date },
  max: number,
): Promise<void> {
  const recent = await selectRecent(tx, userId, countedSince(now))
  const isHeld = (row: (typeof recent)[number]) =>
    row.packId === packId && row.status === 'pending' && row.expiresAt > now
  if (max > 0 && recent.filter(isHeld).length >= max)
    throw new DomainError(packProblems.too_many_holds, {
      detail: `A fan may hold ${max} of a pack at once: complete one, or let it expire.`,
    })
  requireNoWait(recent, now)
}

const selectRecent = prepared((reader: Reader, userId: string, since: Date) => {
  const { packPurchases: purchases } = reader.tables
  const { packId, status, priceAmount, priceCurrency, createdAt, expiresAt, completedAt, cancelledAt } =
    purchases
  const price = { priceAmount, priceCurrency }
  return reader
    .select({ packId, status, ...price, createdAt, expiresAt, completedAt, cancelledAt })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), gt(purchases.createdAt, since)))
})

function requireActive(pack: PackRow, now: Date): void {
  if (!isActive(pack, now)) throw new DomainError(packProblems.pack_inactive)
}
