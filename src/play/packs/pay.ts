/** Completes a purchase for a client: with points, or with money after the gateway has verified the payment. */

import type { Logger } from 'pino'
import type { Database, Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { completePurchase, needsMoney, type Payment } from './complete-purchase.ts'
import type { Payments } from './payments/create.ts'
import { type Charge, NO_GATEWAY, notConfirmed } from './payments/gateway.ts'
import { type PurchaseRow, statusOf } from './present.ts'
import { packProblems } from './problems.ts'
import { findPaidBy, requirePurchase } from './purchases.ts'
import type { CompletePurchase } from './schema.ts'

/** Verifies the payment with the gateway, before the unit of work, which must not wait for another system. */
export async function verifyPayment(
  { db, payments }: { db: Database; payments: Payments },
  caller: Caller,
  { purchaseId, paymentReference: reference }: CompletePurchase,
): Promise<Payment> {
  const purchase = await requirePurchase(db.read, caller, purchaseId)
  if (!needsMoney(purchase)) return { kind: 'points' }
  const status = statusOf(purchase, db.read.now())
  // Already completed or refunded: the verb repeats its result without the gateway.
  if (status === 'completed' || status === 'refund_due' || status === 'refunded')
    return { kind: 'money', reference: reference ?? '' }
  try {
    if (!payments) throw notConfirmed(NO_GATEWAY)
    if (reference === undefined) throw notConfirmed('A price in money needs `paymentReference`.')
    await payments.confirm(chargeOf(purchase), reference)
    return { kind: 'money', reference }
  } catch (error) {
    const unpaid = error instanceof DomainError && error.code === 'payment_not_confirmed'
    if (unpaid && status === 'expired') throw new DomainError(packProblems.purchase_expired)
    if (unpaid && status === 'cancelled') throw cancelled()
    // Only of the fan's own purchases: a payment of another fan must not be disclosed.
    if (unpaid && reference !== undefined && (await findPaidBy(db.read, purchase.userId, reference)))
      throw notConfirmed('The payment was used for another purchase.')
    throw error
  }
}
verifyPayment.problems = [
  packProblems.purchase_not_found,
  packProblems.purchase_expired,
  packProblems.purchase_not_pending,
  packProblems.payment_not_confirmed,
  packProblems.payment_gateway_unavailable,
] as const

export const chargeOf = ({ id, priceAmount, priceCurrency }: PurchaseRow) => ({
  purchaseId: id,
  amount: priceAmount,
  currency: priceCurrency,
})

/** Completes with a verified payment. A payment that is too late is returned as an error, not thrown: it must be committed. */
export async function completePaidPurchase(
  tx: Transaction,
  log: Logger,
  { purchaseId }: CompletePurchase,
  payment: Payment,
) {
  const completion = await completePurchase(tx, purchaseId, payment)
  if (completion.outcome === 'completed') return completion.purchase
  if (completion.outcome === 'expired') return new DomainError(packProblems.purchase_expired)
  if (completion.outcome === 'cancelled') return cancelled()
  if (completion.newly) tx.afterCommit(() => reportRefundDue(log, purchaseId))
  return paidTooLate()
}
completePaidPurchase.problems = [
  ...completePurchase.problems,
  packProblems.purchase_expired,
  packProblems.purchase_not_pending,
] as const

/** After a purchase is cancelled. Not awaited: a payment that succeeds nevertheless becomes `refund_due`. */
export function cancelPayment({ payments, log }: { payments: Payments; log: Logger }, charge: Charge): void {
  const { purchaseId } = charge
  payments
    ?.cancel(charge)
    .catch(error => log.warn({ purchaseId, error }, 'the payment of a cancelled purchase was not cancelled'))
}

export const cancelled = () =>
  new DomainError(packProblems.purchase_not_pending, { detail: 'The purchase was cancelled; start another.' })

export const paidTooLate = () =>
  new DomainError(packProblems.purchase_expired, {
    detail: 'The payment came too late; it will be refunded.',
  })

/** Logs a due refund for the operator: `bun run refund` lists and makes due refunds. */
export function reportRefundDue(log: Logger, purchaseId: string): void {
  log.error({ purchaseId }, 'refund due: paid after the hold had ended')
}
