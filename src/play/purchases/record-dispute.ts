/** Handles disputes that a gateway reports: a fan has asked the bank to return a payment. */

import { DomainError } from '../../core/problems.ts'
import type { PaidEventDeps } from './complete-paid.ts'
import type { DisputeEvent, PaymentGateway } from './gateways/gateway.ts'
import { findPayment } from './payments.ts'
import { restOf } from './purchase.ts'
import { refundByStore } from './refund.ts'

/**
 * An open dispute is logged for an operator, who answers it at the gateway. A lost dispute refunds the purchase and takes
 * back what was not used. Returning accepts the event. Payments of other systems are ignored.
 */
export async function recordDispute(
  { db, log, kinds }: PaidEventDeps,
  { name: gateway }: PaymentGateway,
  { reference, amount, state, answerBy }: DisputeEvent,
): Promise<void> {
  const payment = await findPayment(db.read, reference)
  const kind = kinds.find(({ name }) => name === payment?.kind)
  if (!payment || !kind) return
  const about = { gateway, purchaseId: payment.purchaseId, reference }
  if (state === 'open')
    return log.error({ ...about, answerBy }, 'a payment needs an operator: it is disputed')
  if (state === 'kept') return log.info(about, 'a dispute of a payment has ended, and the money is kept')
  const purchase = await kind.find(db.read, payment.purchaseId)
  // What was refunded before is not disputed.
  if (purchase && amount < restOf(purchase))
    return log.error({ ...about, amount }, 'a payment needs an operator: a part of it is lost by a dispute')
  try {
    // never any: the payment was found; below is what a fan has spent by then.
    const refund = await db.write(tx => refundByStore(tx, kind, payment.purchaseId, reference))
    if (!refund) log.warn(about, 'a payment is lost by a dispute, and was refunded before')
    // A top-up is taken back as a whole or not at all.
    else if (refund.delivered && !refund.supplyReturned && kind.name !== 'top_up')
      log.error(
        about,
        'a payment needs an operator: it is lost by a dispute, and what it paid stays with the fan',
      )
  } catch (error) {
    // The balance is already spent.
    if (!(error instanceof DomainError && error.code === 'not_refundable')) throw error
    log.error(about, 'a payment needs an operator: it is lost by a dispute, and what it paid is spent')
  }
}
