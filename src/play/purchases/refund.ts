/** Refunds: points by a compensating ledger entry, money by the gateway. Unused goods return to the stock. */

import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { deleteDataIfErased } from '../../economy/events/delete-data.ts'
import { voidLatest } from '../../economy/events/void-latest.ts'
import { markPaidTooLate } from './complete.ts'
import { describeStatus, type Locked, type PurchaseKind } from './kind.ts'
import { giveBack } from './means.ts'
import { purchaseProblems } from './problems.ts'
import type { Purchase } from './purchase.ts'

export interface Refund {
  purchaseId: string
  price: { amount: number; currency: string }
  /** False if nothing returned to the stock, such as an opened pack: the fan keeps it. */
  supplyReturned: boolean
}

/** Refunds once. @throws DomainError `notFound` of the kind, `not_refundable` */
export async function refund<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  purchaseId: string,
): Promise<Refund> {
  const purchase = await requireRefundable(tx, kind, purchaseId)
  const { priceAmount: amount, priceCurrency: currency } = purchase
  // never payment_not_confirmed: no payment is written.
  await kind.update(tx, purchase, purchase.status, { status: 'refunded', refundedAt: tx.now() })
  await giveBack(tx, kind, purchase)
  await voidCompletion(tx, kind, purchase)
  await kind.recordRefund(tx, purchase)
  const supplyReturned = await kind.takeBack(tx, purchase)
  await deleteDataIfErased(tx, purchase.userId)
  return { purchaseId, price: { amount, currency }, supplyReturned }
}

/**
 * Called before the gateway refunds: takes back what was not used, so that the fan cannot use it during the refund, even if
 * this process crashes in between. Does nothing if the refund is already due. @throws as `refund`
 */
export async function markDue<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  purchaseId: string,
): Promise<void> {
  const purchase = await requireRefundable(tx, kind, purchaseId)
  if (purchase.status === 'refund_due') return
  // never payment_not_confirmed: no payment is written.
  const due = await kind.update(tx, purchase, purchase.status, { status: 'refund_due' })
  await kind.takeBack(tx, purchase)
  await voidCompletion(tx, kind, purchase)
  if (due) await kind.recordRefundDue(tx, due)
  await deleteDataIfErased(tx, purchase.userId)
}

/** Takes back the points and rewards that rules and quests gave for the purchase. A repeat changes nothing. */
async function voidCompletion<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  { completion }: PurchaseKind<Row, Lock, Result>,
  { id, userId, completedAt }: Row,
): Promise<void> {
  if (!completion || !completedAt) return
  await voidLatest(tx, { userId, type: completion.event, about: { [completion.member]: id } })
}

/**
 * Records once that the store has refunded this payment, also if the payment never completed its purchase. Returns undefined
 * and changes nothing if the refund is already recorded or the purchase was paid in another way. @throws DomainError
 * `notFound` of the kind
 */
export async function refundByStore<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  purchaseId: string,
  reference: string,
): Promise<(Refund & { delivered: boolean }) | undefined> {
  const found = await kind.find(tx, purchaseId)
  if (!found) throw new DomainError(kind.problems.notFound)
  await kind.lock(tx, found, 'all')
  const purchase = await kind.find(tx, purchaseId)
  if (!purchase || purchase.status === 'refunded') return undefined
  if (purchase.paymentReference === reference) {
    await kind.voidDueParts?.(tx, purchase)
    return { ...(await refund(tx, kind, purchaseId)), delivered: purchase.completedAt !== null }
  }
  if (purchase.status !== 'pending' && purchase.status !== 'cancelled') return undefined
  // The refund was reported before the payment.
  await markPaidTooLate(tx, kind, purchase, { kind: 'money', reference })
  // A completion without a lock may have been first. It is then refunded like any other.
  return refundByStore(tx, kind, purchaseId, reference)
}

/** The purchase, read under the lock of its stock. @throws DomainError `notFound` of the kind, `not_refundable` */
async function requireRefundable<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  purchaseId: string,
): Promise<Row> {
  const found = await kind.find(tx, purchaseId)
  if (!found) throw new DomainError(kind.problems.notFound)
  await kind.lock(tx, found, 'all')
  const purchase = await kind.find(tx, purchaseId)
  if (!purchase) throw new DomainError(kind.problems.notFound)
  if (purchase.status !== 'completed' && purchase.status !== 'refund_due')
    throw new DomainError(purchaseProblems.not_refundable, { detail: describeStatus(kind, purchase.status) })
  return purchase
}
