/** Applies what a gateway reports of disputes: a fan has asked the bank for the money of a payment back. */

import { DomainError } from '../../core/problems.ts'
import type { PaidEventDeps } from './complete-paid.ts'
import type { DisputeEvent, PaymentGateway } from './gateways/gateway.ts'
import { findPayment } from './payments.ts'
import { refundByStore } from './refund.ts'

/**
 * An open dispute needs an operator, who answers it at the gateway. One that is lost refunds the purchase: what was not used is taken
 * back. Returning accepts the event; of a payment that is not ours, nothing happens.
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
  if (amount < payment.amount)
    return log.error({ ...about, amount }, 'a payment needs an operator: a part of it is lost by a dispute')
  try {
    const refund = await db.write(tx => refundByStore(tx, kind, payment.purchaseId, reference))
    if (!refund) log.warn(about, 'a payment is lost by a dispute, and was refunded before')
    // A top-up gives back all or nothing.
    else if (refund.delivered && !refund.supplyReturned && kind.name !== 'top_up')
      log.error(
        about,
        'a payment needs an operator: it is lost by a dispute, and what it paid stays with the fan',
      )
  } catch (error) {
    // A balance that is spent by then.
    if (!(error instanceof DomainError && error.code === 'not_refundable')) throw error
    log.error(about, 'a payment needs an operator: it is lost by a dispute, and what it paid is spent')
  }
}
