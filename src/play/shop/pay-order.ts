/** Payment of orders, as clients request it: with points, cash, or money that the gateway has verified. */
import type { Transaction } from '../../../db/index.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { cancel } from '../purchases/cancel.ts'
import type { Charge } from '../purchases/gateways/gateway.ts'
import { requireOwn } from '../purchases/kind.ts'
import type { Payment } from '../purchases/means.ts'
import {
  type CompletionDeps,
  completeFor,
  holdCashOf,
  preparePayment,
  verifyPaymentOf,
} from '../purchases/pay.ts'
import { needsMoney, statusOf } from '../purchases/purchase.ts'
import { orderKind } from './order-kind.ts'
import { type OrderRow, readLines, readOrderWhole, type WholeOrder } from './order-rows.ts'
import type { CompleteOrder, OrderPayment, OrderPaymentRequest } from './order-schema.ts'
import { shopProblems } from './problems.ts'

const { payment_method_not_accepted } = shopProblems

/**
 * Prepares the payment of a pending order. With points, or for a price of zero, there is nothing to prepare; with cash,
 * `holdOrderCash` follows in the unit of work.
 */
export async function prepareOrderPayment(
  deps: Parameters<typeof preparePayment>[0],
  viewer: Viewer,
  { orderId, method, gateway }: OrderPaymentRequest,
): Promise<OrderPayment> {
  if (method === 'cash') return { method, payment: null }
  const order = await requireOwn(deps.db.read, orderKind, viewer, orderId)
  requireMethod(order, method, deps.now())
  if (method === 'points' && statusOf(order, deps.now()) === 'pending') return { method, payment: null }
  if (gateway && (await readLines(deps.db.read, orderId)).some(({ kind }) => kind === 'physical'))
    throw new DomainError(payment_method_not_accepted, {
      detail: 'The stores of mobile platforms sell no goods that are shipped.',
    })
  return { method, payment: await preparePayment(deps, orderKind, viewer, orderId, gateway) }
}

function requireMethod(order: OrderRow, method: OrderPaymentRequest['method'], now: Date): void {
  if (statusOf(order, now) !== 'pending' || needsMoney(order) === (method !== 'points')) return
  throw new DomainError(payment_method_not_accepted, {
    detail: `The price is ${order.priceAmount} ${order.priceCurrency}.`,
  })
}

/** Holds cash for an order that is paid with cash. The completion captures it. */
export const holdOrderCash = async (
  tx: Transaction,
  caller: Caller,
  { orderId, method }: OrderPaymentRequest,
  currencies: readonly string[],
): Promise<void> => {
  if (method !== 'cash') return
  const order = await requireOwn(tx, orderKind, caller, orderId)
  requireMethod(order, method, tx.clock())
  await holdCashOf(tx, orderKind, order, currencies)
}

/** Verifies the payment with the gateway, before the unit of work, which must not wait for another system. */
export const verifyOrderPayment = (
  deps: Parameters<typeof verifyPaymentOf>[0],
  viewer: Viewer,
  { orderId, paymentReference }: CompleteOrder,
): Promise<Payment> => verifyPaymentOf(deps, orderKind, viewer, orderId, paymentReference)

/** Like `completeFor` in `src/play/purchases/pay.ts`. */
export const completeOrder = (
  tx: Transaction,
  deps: CompletionDeps,
  caller: Caller,
  { orderId }: CompleteOrder,
  payment: Payment,
) => completeFor(tx, deps, orderKind, caller, orderId, payment)

/** Like `cancel` in `src/play/purchases/cancel.ts`. */
export async function cancelOrder(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  onCancelled?: (charge: Charge) => void,
): Promise<WholeOrder> {
  await cancel(tx, orderKind, caller, orderId, onCancelled)
  return readOrderWhole(tx, orderId)
}
