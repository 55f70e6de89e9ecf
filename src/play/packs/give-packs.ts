/** Gives a fan sealed packs without a separate payment, such as the packs of an order. */

import type { Reader, Transaction } from '../../../db/index.ts'
import { POINTS } from '../purchases/purchase.ts'
import { refund } from '../purchases/refund.ts'
import { weightsProblem } from './odds.ts'
import { findPackWithWeights } from './packs.ts'
import { packPurchaseKind } from './purchase-kind.ts'
import { findPurchase } from './purchases.ts'
import { insertPurchase, preparePurchase } from './start-purchase.ts'
import { countFree, lockLimitedPack } from './supply.ts'

export const hasPackWithoutLimit = async (reader: Reader, packId: string): Promise<boolean> =>
  (await findPackWithWeights(reader, packId))?.pack.supplyTotal === null

/**
 * Whether `count` packs can be given now: the pack exists, its weights are valid, and its supply is large enough. Locks the
 * supply until the unit of work ends. For several packs, call it in the order of their ids.
 */
export async function canGivePacks(tx: Transaction, packId: string, count: number): Promise<boolean> {
  const locked = await lockLimitedPack(tx, packId)
  const found = await findPackWithWeights(tx, packId)
  if (!found || weightsProblem(found.weights)) return false
  return !locked || (await countFree(tx, locked.pack, locked.now)) >= count
}

/** Records completed purchases with price 0, and returns their ids. Call only after `canGivePacks` returned true. */
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

/** Takes back a given pack, unless it is opened. Returns whether it is taken back, now or earlier. */
export async function takeBackPack(tx: Transaction, purchaseId: string): Promise<boolean> {
  const purchase = await findPurchase(tx, purchaseId)
  if (!purchase) throw new Error('a pack that was given does not exist')
  if (purchase.status === 'completed') return (await refund(tx, packPurchaseKind, purchaseId)).supplyReturned
  return packPurchaseKind.takeBack(tx, purchase)
}
