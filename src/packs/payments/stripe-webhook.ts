/** Stripe's word that a payment succeeded: completes through the very verb that the client's word does. */

import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { completePurchase } from '../complete-purchase.ts'
import { chargeOf, reportRefundDue } from '../pay.ts'
import type { PurchaseRow } from '../present.ts'
import { findPurchase } from '../purchases.ts'
import type { PaidIntent, StripeGateway } from './stripe.ts'

interface SettleDeps {
  db: Database
  log: Logger
}

/** Seconds; Stripe keeps a timetable of its own. */
const ASK_AGAIN = 60

/**
 * Returning accepts the event for good; throwing makes Stripe deliver it again, for up to three days. So what time may
 * mend is thrown, and what only an operator can mend is logged and accepted. A purchase of nobody's is ignored.
 */
export async function settlePaidIntent(deps: SettleDeps, stripe: StripeGateway, paid: PaidIntent) {
  const { db, log } = deps
  const purchase = await findPurchase(db.read, paid.purchaseId)
  if (!purchase) return
  if (purchase.status === 'pending' && !(await settle(deps, stripe, purchase, paid))) {
    log.error(paid, 'a payment needs an operator: it succeeded, but does not pay the purchase it names')
    return
  }
  const settled = await findPurchase(db.read, purchase.id)
  if (settled?.paymentReference !== paid.reference) {
    log.error(paid, 'a payment needs an operator: the purchase it names had been paid before')
  }
}
settlePaidIntent.problems = ['payment_gateway_unavailable'] as const

/** False when the payment is not the one that the purchase asks for. */
async function settle(
  { db, log }: SettleDeps,
  stripe: StripeGateway,
  purchase: PurchaseRow,
  paid: PaidIntent,
) {
  // The event is a hint; what counts is what Stripe says now.
  const verdict = await stripe.examine(chargeOf(purchase), paid.reference)
  if (verdict === 'mismatch') return false
  if (verdict === 'unpaid') {
    // Two words of Stripe disagree: its copies may lag, or the key is of another account than the webhook.
    throw new DomainError('payment_gateway_unavailable', { retryAfter: ASK_AGAIN })
  }
  try {
    const payment = { kind: 'money' as const, reference: paid.reference }
    const completion = await db.write(tx => completePurchase(tx, purchase.id, payment))
    if (completion.outcome === 'refund_due' && completion.newly) reportRefundDue(log, purchase.id)
    return true
  } catch (error) {
    if (error instanceof DomainError && error.code === 'payment_not_confirmed') return false
    throw error
  }
}
