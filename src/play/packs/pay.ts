/**
 * Payment and completion of the purchase of a pack, as clients request them: with points, or with money that the gateway has
 * verified.
 */

import type { Database, Transaction } from '../../../db/index.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { cancel } from '../purchases/cancel.ts'
import { complete } from '../purchases/complete.ts'
import type { Payments } from '../purchases/gateways/create.ts'
import type { Charge, PreparedPayment } from '../purchases/gateways/gateway.ts'
import type { PurchaseKind } from '../purchases/kind.ts'
import type { Payment } from '../purchases/means.ts'
import {
  type CompletionDeps,
  completeFor,
  holdCashFor,
  preparePayment,
  verifyPaymentOf,
} from '../purchases/pay.ts'
import { presentPurchase } from './present.ts'
import { packPurchaseKind } from './purchase-kind.ts'
import type { CompletePurchase, PreparePayment } from './schema.ts'

/** Verifies the payment with the gateway, before the unit of work, which must not wait for another system. */
export const verifyPayment = (
  deps: { db: Database; payments: Payments },
  viewer: Viewer,
  { purchaseId, paymentReference }: CompletePurchase,
): Promise<Payment> => verifyPaymentOf(deps, packPurchaseKind, viewer, purchaseId, paymentReference)

/**
 * Like `complete` in `src/play/purchases/complete.ts`: the client and the gateway may both call it, concurrently and
 * repeatedly.
 */
export const completePurchase = (
  tx: Transaction,
  kinds: readonly PurchaseKind[],
  purchaseId: string,
  payment: Payment,
) => complete(tx, kinds, packPurchaseKind, purchaseId, payment)

/** Completes with a verified payment. A payment that is too late is returned as an error, not thrown: it must be committed. */
export const completePaidPurchase = (
  tx: Transaction,
  deps: CompletionDeps,
  caller: Caller,
  { purchaseId }: CompletePurchase,
  payment: Payment,
) => completeFor(tx, deps, packPurchaseKind, caller, purchaseId, payment)

/** Holds cash for a pending purchase: the completion captures it. */
export const holdPackCash = async (
  tx: Transaction,
  caller: Caller,
  purchaseId: string,
  currencies: readonly string[],
): Promise<PreparedPayment> => {
  await holdCashFor(tx, packPurchaseKind, caller, purchaseId, currencies)
  return { gateway: 'cash', paymentReference: null, clientSecret: null, checkoutUrl: null, store: null }
}

/** Prepares the payment of a pending purchase with the gateway. */
export const preparePackPayment = (
  deps: Parameters<typeof preparePayment>[0],
  viewer: Viewer,
  { purchaseId, gateway }: PreparePayment,
) => preparePayment(deps, packPurchaseKind, viewer, purchaseId, gateway)

/** Like `cancel` in `src/play/purchases/cancel.ts`. */
export async function cancelPurchase(
  tx: Transaction,
  caller: Caller,
  purchaseId: string,
  onCancelled?: (charge: Charge) => void,
): Promise<ReturnType<typeof presentPurchase>> {
  const purchase = await cancel(tx, packPurchaseKind, caller, purchaseId, onCancelled)
  return presentPurchase(purchase, null, tx.clock())
}
