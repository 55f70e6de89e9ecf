/** Gives a fan sealed packs without a payment of their own, such as those of an order. */

import type { Reader, Transaction } from '../../../db/index.ts'
import { POINTS } from '../purchases/purchase.ts'
import { refund } from '../purchases/refund.ts'
import { findPackWithWeights } from './catalogue.ts'
import { weightsProblem } from './odds.ts'
import { packPurchaseKind } from './purchase-kind.ts'
import { findPurchase } from './purchases.ts'
import { insertPurchase, preparePurchase } from './start-purchase.ts'
import { countFree, lockLimitedPack } from './supply.ts'

export const hasPackWithoutLimit = async (reader: Reader, packId: string): Promise<boolean> =>
  (await findPackWithWeights(reader, packId))?.pack.supplyTotal === null

/**
 * Whether so many can be given now: the pack exists, its odds can be drawn, and its supply has as many. Locks the supply until the
 * unit of work ends; of several packs, lock them in the order of their ids.
 */
export async function canGivePacks(tx: Transaction, packId: string, count: number): Promise<boolean> {
  const locked = await lockLimitedPack(tx, packId)
  const found = await findPackWithWeights(tx, packId)
  if (!found || weightsProblem(found.weights)) return false
  return !locked || (await countFree(tx, locked.pack, locked.now)) >= count
}

/** As completed purchases of price 0. Returns their ids. `canGivePacks` must be true. */
export async function givePacks(
  tx: Transaction,
  { packId, userId, count }: { packId: string; userId: string; count: number },
): Promise<string[]> {
  const found = await findPackWithWeights(tx, packId)
  if (!found) throw new Error('a pack that is given does not exist')
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const now = tx.now()
    const purchase = {
      ...preparePurchase(tx, { ...found, userId, now }),
      priceAmount: 0,
      priceCurrency: POINTS,
      status: 'completed',
      completedAt: now,
    }
    await insertPurchase(tx, purchase)
    await packPurchaseKind.deliver(tx, purchase)
    ids.push(purchase.id)
  }
  return ids
}

/** Takes back a pack that was given, unless it is opened. Whether it is taken back, now or before. */
export async function takeBackPack(tx: Transaction, purchaseId: string): Promise<boolean> {
  const purchase = await findPurchase(tx, purchaseId)
  if (!purchase) throw new Error('a pack that was given does not exist')
  if (purchase.status === 'completed') return (await refund(tx, packPurchaseKind, purchaseId)).supplyReturned
  return packPurchaseKind.takeBack(tx, purchase)
}
