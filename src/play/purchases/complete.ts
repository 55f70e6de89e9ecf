/** Completes a purchase, once: books the payment and delivers the goods. */

import type { Transaction } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { deleteDataIfErased } from '../../economy/events/delete-data.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import type { Locked, PurchaseKind } from './kind.ts'
import { capture, isPaidBefore, type Payment } from './means.ts'
import { allowsLate } from './own-limits.ts'
import { type Purchase, statusOf } from './purchase.ts'

export type Completion<Result> =
  | { outcome: 'completed'; purchase: Result }
  /** Not paid, and the hold has expired. */
  | { outcome: 'expired' }
  /** Not paid, and it can no longer be delivered. */
  | { outcome: 'blocked'; by: DomainError }
  /** Not paid, and the fan has cancelled it. */
  | { outcome: 'cancelled' }
  /** Paid, but cancelled, expired or blocked: the operator must refund the money. */
  | { outcome: 'refund_due'; purchaseId: string; newly: boolean; because: 'late' | 'ended' | DomainError }

/**
 * The client and the gateway may both call it, concurrently and repeatedly. Outcomes other than `completed` must be
 * committed as well. Throws `payment_not_confirmed` when the reference has paid another purchase. `kinds`: what counts against the
 * limits of the fan. `owner`: the fan who asks.
 */
export async function complete<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kinds: readonly PurchaseKind[],
  kind: PurchaseKind<Row, Lock, Result>,
  purchaseId: string,
  payment: Payment,
  owner?: Viewer,
): Promise<Completion<Result>> {
  const found = await kind.find(tx, purchaseId)
  if (!found || (owner && found.userId !== owner.userId)) throw new DomainError(kind.problems.notFound)
  const paid = isPaidBefore(payment)
  // As a start does, which locks the fan before the stock.
  if (paid && statusOf(found, tx.clock()) === 'expired') await lockToCount(tx, found.userId)
  const limited = await kind.lock(tx, found, 'limited')
  const now = limited?.now ?? tx.clock()
  // Nearly always nothing has changed while this waited for the lock, and nothing is read again.
  if (
    statusOf(found, now) === 'pending' &&
    !(limited && (await kind.findBlocker(tx, found, limited, false)))
  ) {
    const completion = await completePending(tx, kind, found, payment, now, limited)
    if (completion) return completion
  }
  const lock = limited ?? (await kind.lock(tx, found, 'all'))
  const purchase = await kind.find(tx, purchaseId)
  if (!lock || !purchase) throw new Error('a purchase or its stock vanished while it was completed')

  const status = statusOf(purchase, lock.now)
  if (status === 'completed' || status === 'refunded')
    return { outcome: 'completed', purchase: await kind.readResult(tx, purchase) }
  if (status === 'refund_due') {
    const because = purchase.expiresAt <= lock.now ? 'late' : 'ended'
    return { outcome: 'refund_due', purchaseId, newly: false, because }
  }
  if (status === 'cancelled')
    return paid ? markRefundDue(tx, kind, purchase, payment, 'ended') : { outcome: 'cancelled' }
  const late = status === 'expired'
  if (late && !paid) return { outcome: 'expired' }
  if (late && !(await allowsLate(tx, kinds, purchase)))
    return markRefundDue(tx, kind, purchase, payment, 'late')
  // A late payment is delivered if stock is free. A purchase with a hold may take any unsold unit, but the operator may have
  // reduced the stock below the held number.
  const blocker = await kind.findBlocker(tx, purchase, lock, late)
  if (!blocker) {
    const completion = await completePending(tx, kind, purchase, payment, lock.now, lock)
    if (!completion) throw new Error('a purchase changed while its stock was locked')
    return completion
  }
  if (!paid) return { outcome: 'blocked', by: blocker }
  return markRefundDue(tx, kind, purchase, payment, late ? 'late' : blocker)
}

/** Null, with nothing changed, if the purchase is no longer pending. */
async function completePending<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  purchase: Row,
  payment: Payment,
  now: Date,
  lock: Lock | undefined,
): Promise<Completion<Result> | null> {
  const changes = { status: 'completed', completedAt: now, paymentReference: referenceOf(payment) }
  const completed = await kind.update(tx, purchase, 'pending', changes)
  if (!completed) return null
  await capture(tx, kind, completed, payment)
  return { outcome: 'completed', purchase: await kind.deliver(tx, completed, lock) }
}

async function markRefundDue<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  purchase: Row,
  payment: Payment,
  because: 'late' | 'ended' | DomainError,
): Promise<Completion<Result>> {
  if (!(await markPaidTooLate(tx, kind, purchase, payment)))
    throw new Error('a purchase changed while its stock was locked')
  return { outcome: 'refund_due', purchaseId: purchase.id, newly: true, because }
}

/** Books a payment that does not complete its purchase. False, with nothing changed, if the purchase has changed. */
export async function markPaidTooLate<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  purchase: Row,
  payment: Payment,
): Promise<boolean> {
  const changes = { status: 'refund_due', paymentReference: referenceOf(payment) }
  const due = await kind.update(tx, purchase, purchase.status, changes)
  if (!due) return false
  await capture(tx, kind, due, payment)
  await kind.release(tx, due)
  await kind.recordRefundDue(tx, due)
  await deleteDataIfErased(tx, purchase.userId)
  return true
}

const referenceOf = (payment: Payment) => (payment.kind === 'money' ? payment.reference : null)
