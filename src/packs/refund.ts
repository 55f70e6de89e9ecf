/** Giving back what a purchase cost: points by a compensating entry, money by its gateway; supply only if unopened. */
import { and, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { DomainError } from '../core/problems.ts'
import { appendEntry } from '../points/ledger.ts'
import { needsMoney } from './complete-purchase.ts'
import type { PurchaseRow } from './present.ts'
import { findPurchase, findUserPackOf } from './purchases.ts'
import { changeSold, lockPack } from './supply.ts'

export interface Refund {
  purchaseId: string
  price: { amount: number; currency: string }
  /** False when the pack was opened, or never handed over: what is drawn stays drawn. */
  supplyReturned: boolean
}

/** Of any number of calls one refunds. @throws DomainError `purchase_not_found`, `not_refundable` */
export async function refundPurchase(tx: Transaction, purchaseId: string): Promise<Refund> {
  const purchase = await requireRefundable(tx, purchaseId)
  const { packPurchases } = tx.tables
  await tx
    .update(packPurchases)
    .set({ status: 'refunded', refundedAt: tx.now() })
    .where(eq(packPurchases.id, purchaseId))
  if (!needsMoney(purchase)) await returnPoints(tx, purchase)
  return {
    purchaseId,
    price: { amount: purchase.priceAmount, currency: purchase.priceCurrency },
    supplyReturned: await takeBack(tx, purchase),
  }
}

/**
 * Before money is given back: a sealed pack is taken back and the debt written down, so that nobody opens a pack whose
 * money is under way, whatever happens in between. Does nothing to what is owed already. @throws as `refundPurchase`
 */
export async function oweRefund(tx: Transaction, purchaseId: string): Promise<void> {
  const purchase = await requireRefundable(tx, purchaseId)
  if (purchase.status === 'refund_due') return
  const { packPurchases } = tx.tables
  await tx.update(packPurchases).set({ status: 'refund_due' }).where(eq(packPurchases.id, purchaseId))
  await takeBack(tx, purchase)
}

/** The purchase as it is under its pack's lock. @throws DomainError `purchase_not_found`, `not_refundable` */
async function requireRefundable(tx: Transaction, purchaseId: string): Promise<PurchaseRow> {
  const found = await findPurchase(tx, purchaseId)
  if (!found) throw new DomainError('purchase_not_found')
  await lockPack(tx, found.packId)
  const purchase = await findPurchase(tx, purchaseId)
  if (!purchase || (purchase.status !== 'completed' && purchase.status !== 'refund_due')) {
    throw new DomainError('not_refundable', { detail: `The purchase is ${purchase?.status}.` })
  }
  return purchase
}

async function returnPoints(tx: Transaction, { id, userId, priceAmount }: PurchaseRow): Promise<void> {
  if (priceAmount === 0) return
  await appendEntry(tx, { userId, delta: priceAmount, reason: 'pack_refund', ref: id })
}

/** A sealed pack comes back and goes on sale again; an opened one stays with the fan. */
async function takeBack(tx: Transaction, { id, packId }: PurchaseRow): Promise<boolean> {
  const { userPacks } = tx.tables
  const [revoked] = await tx
    .update(userPacks)
    .set({ revokedAt: tx.now() })
    .where(and(eq(userPacks.purchaseId, id), isNull(userPacks.openedAt), isNull(userPacks.revokedAt)))
    .returning()
  if (revoked) await changeSold(tx, packId, -1)
  // Taken back before, when the refund of its money began?
  return Boolean(revoked ?? (await findUserPackOf(tx, id))?.revokedAt)
}

/** Purchases whose money has to be given back, oldest first. */
export async function listRefundsDue(reader: Reader): Promise<PurchaseRow[]> {
  const { packPurchases } = reader.tables
  return reader
    .select()
    .from(packPurchases)
    .where(eq(packPurchases.status, 'refund_due'))
    .orderBy(packPurchases.id)
}
