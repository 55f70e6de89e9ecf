/** Completes a purchase that a gateway reports as paid, with the same verb that clients use. */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { complete } from './complete.ts'
import { isStore, type PaidEvent, type PaymentGateway } from './gateways/gateway.ts'
import type { RefundEvent, StoreEvent } from './gateways/store.ts'
import { findOfKinds, type PurchaseKind } from './kind.ts'
import { reportRefundDue } from './pay.ts'
import { purchaseProblems } from './problems.ts'
import { chargeOf, type Purchase } from './purchase.ts'
import { refundByStore } from './refund.ts'

export interface PaidEventDeps {
  db: Database
  log: Logger
  /** The kinds of purchases on this server. */
  kinds: readonly PurchaseKind[]
}

/** A hint: gateways retry on their own schedule. */
const RETRY_AFTER_SECONDS = 60

/**
 * Returning accepts the event, and throwing makes the gateway deliver it again. So temporary failures are thrown; failures
 * that only an operator can resolve are logged. An unknown purchase is ignored.
 */
export async function completePaid(deps: PaidEventDeps, gateway: PaymentGateway, event: PaidEvent) {
  const { db, log, kinds } = deps
  const { purchaseId, reference } = event
  const paid = { gateway: gateway.name, purchaseId, reference }
  const found = await findOfKinds(db.read, kinds, purchaseId)
  // Of another system, or deleted long after it expired.
  if (!found) {
    log.warn(paid, 'a payment names a purchase that does not exist')
    return
  }
  const { kind, purchase } = found
  const open = purchase.status === 'pending' || purchase.status === 'cancelled'
  const mayPay = kind.inStores || !isStore(gateway)
  if (open && !(mayPay && (await completeWith(deps, gateway, kind, purchase, event)))) {
    log.error(paid, 'a payment needs an operator: it succeeded, but does not pay the purchase it names')
    return
  }
  const completed = await kind.find(db.read, purchase.id)
  if (completed?.paymentReference !== reference) {
    log.error(paid, 'a payment needs an operator: the purchase it names had been paid before')
  }
}

/** False if the payment does not pay this purchase. */
async function completeWith(
  { db, log, kinds }: PaidEventDeps,
  gateway: PaymentGateway,
  kind: PurchaseKind,
  purchase: Purchase,
  { evidence }: PaidEvent,
) {
  // The event is only a hint: the gateway's current state of the payment decides.
  const verdict = await gateway.examine(chargeOf(purchase), evidence)
  if (verdict.state === 'mismatch') return false
  if (verdict.state === 'unpaid') {
    // Event and payment disagree: a replica of the gateway lags, or key and webhook belong to different accounts.
    throw new DomainError(purchaseProblems.payment_gateway_unavailable, { retryAfter: RETRY_AFTER_SECONDS })
  }
  try {
    const { acknowledge } = verdict
    const payment = { kind: 'money' as const, reference: verdict.reference, acknowledge }
    // never any: the purchase was found and is paid with money; what blocks it makes a refund due.
    await db.write(async tx =>
      reportRefundDue(tx, log, await complete(tx, kinds, kind, purchase.id, payment)),
    )
    return true
  } catch (error) {
    if (error instanceof DomainError && error.code === 'payment_not_confirmed') return false
    throw error
  }
}

/** Like `completePaid`: returning accepts the event, and throwing makes the store deliver it again. */
export async function recordStoreEvent(deps: PaidEventDeps, gateway: PaymentGateway, event: StoreEvent) {
  if (event.kind === 'paid') return completePaid(deps, gateway, event)
  const { purchaseId, reference } = event
  const about = { gateway: gateway.name, purchaseId, reference }
  if (event.kind === 'refunded') return recordRefund(deps, about)
  deps.log.error(about, 'a payment needs an operator: the store has taken back its refund')
}

async function recordRefund({ db, log, kinds }: PaidEventDeps, about: RefundEvent & { gateway: string }) {
  const { purchaseId, reference } = about
  const { kind } = (await findOfKinds(db.read, kinds, purchaseId)) ?? {}
  // never any: the purchase was found, and stores sell nothing that can be spent.
  const refund = kind && (await db.write(tx => refundByStore(tx, kind, purchaseId, reference)))
  if (refund && !refund.supplyReturned && refund.delivered)
    log.error(about, 'a payment needs an operator: the store has refunded what stays with the fan')
}
