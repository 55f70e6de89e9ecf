/** Refunds: points by a compensating ledger entry, money by the gateway. A sealed pack returns to the supply. */

import { and, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { appendEntry } from '../../economy/points/ledger.ts'
import { needsMoney, saleOf } from './complete-purchase.ts'
import type { PurchaseRow } from './present.ts'
import { packProblems } from './problems.ts'
import { findPurchase, findUserPackOf, updatePurchase } from './purchases.ts'
import { changeSold, lockPack } from './supply.ts'

export interface Refund {
  purchaseId: string
  price: { amount: number; currency: string }
  /** False if the pack was opened or never created: the fan keeps drawn items. */
  supplyReturned: boolean
}

/** Refunds once. @throws DomainError `purchase_not_found`, `not_refundable` */
export async function refundPurchase(tx: Transaction, purchaseId: string): Promise<Refund> {
  const purchase = await requireRefundable(tx, purchaseId)
  await updatePurchase(tx, purchaseId, purchase.status, { status: 'refunded', refundedAt: tx.now() })
  const { userId, priceAmount } = purchase
  // The ledger has no entries of zero.
  if (!needsMoney(purchase) && priceAmount > 0)
    await appendEntry(tx, { userId, delta: priceAmount, reason: 'pack_refund', ref: purchaseId })
  await recordEvent(tx, { userId, type: 'purchase.refunded', data: saleOf(purchase) })
  return { purchaseId, price: saleOf(purchase).price, supplyReturned: await revokeSealed(tx, purchase) }
}

/**
 * Called before the gateway refunds: revokes a sealed pack, so that it cannot be opened while its money is being refunded,
 * even if this process crashes in between. Does nothing if the refund is already due. @throws as `refundPurchase`
 */
export async function markRefundDue(tx: Transaction, purchaseId: string): Promise<void> {
  const purchase = await requireRefundable(tx, purchaseId)
  if (purchase.status === 'refund_due') return
  await updatePurchase(tx, purchaseId, purchase.status, { status: 'refund_due' })
  await revokeSealed(tx, purchase)
}

/** The purchase, read under its pack's lock. @throws DomainError `purchase_not_found`, `not_refundable` */
async function requireRefundable(tx: Transaction, purchaseId: string): Promise<PurchaseRow> {
  const found = await findPurchase(tx, purchaseId)
  if (!found) throw new DomainError(packProblems.purchase_not_found)
  await lockPack(tx, found.packId)
  const purchase = await findPurchase(tx, purchaseId)
  if (!purchase || (purchase.status !== 'completed' && purchase.status !== 'refund_due')) {
    throw new DomainError(packProblems.not_refundable, { detail: `The purchase is ${purchase?.status}.` })
  }
  return purchase
}

/** Revokes a sealed pack and returns it to the supply. The fan keeps an opened one. False if there was none to revoke. */
async function revokeSealed(tx: Transaction, { id, packId }: PurchaseRow): Promise<boolean> {
  const { userPacks } = tx.tables
  const [revoked] = await tx
    .update(userPacks)
    .set({ revokedAt: tx.now() })
    .where(and(eq(userPacks.purchaseId, id), isNull(userPacks.openedAt), isNull(userPacks.revokedAt)))
    .returning()
  if (revoked) changeSold(tx, packId, -1)
  // The pack may already be revoked, if the refund was marked due before.
  return Boolean(revoked ?? (await findUserPackOf(tx, id))?.revokedAt)
}

/** Oldest first. */
export async function listRefundsDue(reader: Reader): Promise<PurchaseRow[]> {
  const { packPurchases } = reader.tables
  return reader
    .select()
    .from(packPurchases)
    .where(eq(packPurchases.status, 'refund_due'))
    .orderBy(packPurchases.id)
}
