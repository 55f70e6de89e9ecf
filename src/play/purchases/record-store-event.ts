/** Handles events of app stores: payments, and refunds that the store has made. */

import { completePaid, type PaidEventDeps } from './complete-paid.ts'
import { findOfKinds } from './find.ts'
import type { PaymentGateway } from './gateways/gateway.ts'
import type { RefundEvent, StoreEvent } from './gateways/store.ts'
import { refundByStore } from './refund.ts'

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
