/** Handles Stripe's `payment_intent.succeeded`: completes the purchase with the same verb as the client. */

import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { completePurchase } from '../complete-purchase.ts'
import { chargeOf, reportRefundDue } from '../pay.ts'
import type { PurchaseRow } from '../present.ts'
import { packProblems } from '../problems.ts'
import { findPurchase } from '../purchases.ts'
import type { PaidIntent, StripeGateway } from './stripe.ts'

interface StripeWebhookDeps {
  db: Database
  log: Logger
}

/** Only informative: Stripe retries on its own schedule. */
const RETRY_AFTER_SECONDS = 60

/**
 * Returning accepts the event; throwing makes Stripe deliver it again, for up to three days. A temporary failure is thrown;
 * one that only an operator can resolve is logged and the event accepted. An unknown purchase is ignored.
 */
export async function completePaidIntent(deps: StripeWebhookDeps, stripe: StripeGateway, paid: PaidIntent) {
  const { db, log } = deps
  const purchase = await findPurchase(db.read, paid.purchaseId)
  if (!purchase) return
  const open = purchase.status === 'pending' || purchase.status === 'cancelled'
  if (open && !(await complete(deps, stripe, purchase, paid))) {
    log.error(paid, 'a payment needs an operator: it succeeded, but does not pay the purchase it names')
    return
  }
  const completed = await findPurchase(db.read, purchase.id)
  if (completed?.paymentReference !== paid.reference) {
    log.error(paid, 'a payment needs an operator: the purchase it names had been paid before')
  }
}
completePaidIntent.problems = [packProblems.payment_gateway_unavailable] as const

/** False if the payment does not pay this purchase. */
async function complete(
  { db, log }: StripeWebhookDeps,
  stripe: StripeGateway,
  purchase: PurchaseRow,
  paid: PaidIntent,
) {
  // The event is only a hint: Stripe's current state of the intent decides.
  const verdict = await stripe.examine(chargeOf(purchase), paid.reference)
  if (verdict === 'mismatch') return false
  if (verdict === 'unpaid') {
    // Event and intent disagree: a replica of Stripe lags, or key and webhook belong to different accounts.
    throw new DomainError(packProblems.payment_gateway_unavailable, { retryAfter: RETRY_AFTER_SECONDS })
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
