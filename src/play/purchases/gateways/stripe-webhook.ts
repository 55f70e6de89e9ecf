/** Handles Stripe's `payment_intent.succeeded`: completes the purchase with the same verb as the client. */

import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { complete } from '../complete.ts'
import { findOfKinds } from '../find.ts'
import type { PurchaseKind } from '../kind.ts'
import { reportRefundDue } from '../pay.ts'
import { purchaseProblems } from '../problems.ts'
import { chargeOf, type Purchase } from '../purchase.ts'
import type { PaidIntent, StripeGateway } from './stripe.ts'

interface StripeWebhookDeps {
  db: Database
  log: Logger
  /** What can be bought on this server. */
  kinds: readonly PurchaseKind[]
}

/** Only informative: Stripe retries on its own schedule. */
const RETRY_AFTER_SECONDS = 60

/**
 * Returning accepts the event; throwing makes Stripe deliver it again, for up to three days. A temporary failure is thrown;
 * one that only an operator can resolve is logged and the event accepted. An unknown purchase is ignored.
 */
export async function completePaidIntent(deps: StripeWebhookDeps, stripe: StripeGateway, paid: PaidIntent) {
  const { db, log, kinds } = deps
  const found = await findOfKinds(db.read, kinds, paid.purchaseId)
  if (!found) return
  const { kind, purchase } = found
  const open = purchase.status === 'pending' || purchase.status === 'cancelled'
  if (open && !(await completePaid(deps, stripe, kind, purchase, paid))) {
    log.error(paid, 'a payment needs an operator: it succeeded, but does not pay the purchase it names')
    return
  }
  const completed = await kind.find(db.read, purchase.id)
  if (completed?.paymentReference !== paid.reference) {
    log.error(paid, 'a payment needs an operator: the purchase it names had been paid before')
  }
}
completePaidIntent.problems = [purchaseProblems.payment_gateway_unavailable] as const

/** False if the payment does not pay this purchase. */
async function completePaid(
  { db, log }: StripeWebhookDeps,
  stripe: StripeGateway,
  kind: PurchaseKind,
  purchase: Purchase,
  paid: PaidIntent,
) {
  // The event is only a hint: Stripe's current state of the intent decides.
  const verdict = await stripe.examine(chargeOf(purchase), paid.reference)
  if (verdict === 'mismatch') return false
  if (verdict === 'unpaid') {
    // Event and intent disagree: a replica of Stripe lags, or key and webhook belong to different accounts.
    throw new DomainError(purchaseProblems.payment_gateway_unavailable, { retryAfter: RETRY_AFTER_SECONDS })
  }
  try {
    const payment = { kind: 'money' as const, reference: paid.reference }
    await db.write(async tx => reportRefundDue(tx, log, await complete(tx, kind, purchase.id, payment)))
    return true
  } catch (error) {
    if (error instanceof DomainError && error.code === 'payment_not_confirmed') return false
    throw error
  }
}
