/** Refunds a purchase by the means of its payment, which can be a gateway. */
import type { Reader, Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { findGateway, type Payments } from './gateways/create.ts'
import type { PaymentGateway } from './gateways/gateway.ts'
import type { PurchaseKind } from './kind.ts'
import { purchaseProblems } from './problems.ts'
import { chargeOf, isPaidByGateway, type Purchase, restOf } from './purchase.ts'
import { markDue, type Refund, refund } from './refund.ts'

export interface RefundDeps {
  read: Reader
  /** Each call is one unit of work. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Called only for a payment of a gateway. */
  loadPayments(): Promise<Payments>
}

/**
 * Marks the refund as due, pays, then records it. After a crash in between, the purchase is listed as due, and the gateway
 * does not pay twice. The fan cannot use the goods meanwhile. Null if a concurrent refund has completed it.
 */
export async function refundWithGateway(
  { read, write, loadPayments }: RefundDeps,
  kind: PurchaseKind,
  purchase: Purchase,
): Promise<Refund | null> {
  const { id } = purchase
  // never order_not_found, top_up_not_found: the purchase was found.
  try {
    if (isPaidByGateway(purchase)) {
      const gateway = gatewayOf(await loadPayments(), purchase)
      await write(tx => markDue(tx, kind, id))
      const due: Purchase | undefined = await kind.find(read, id)
      if (due && restOf(due) > 0) await gateway.refund(chargeOf(due), purchase.paymentReference ?? '')
    }
    return await write(tx => refund(tx, kind, id))
  } catch (error) {
    const now: Purchase | undefined = await kind.find(read, id)
    if (now?.status !== 'refunded') throw error
    return null
  }
}

/** The gateway that received the payment. Before any change. @throws DomainError `not_refundable` */
function gatewayOf(payments: Payments, { paymentReference }: Purchase): PaymentGateway {
  const gateway = findGateway(payments, paymentReference ?? '')
  if (gateway?.refunds) return gateway
  throw new DomainError(purchaseProblems.not_refundable, {
    detail: gateway
      ? `Only ${gateway.name} refunds this payment, when the customer asks there; its notification records it.`
      : 'Set PAYMENT_GATEWAY to the gateway that received the payment.',
  })
}
