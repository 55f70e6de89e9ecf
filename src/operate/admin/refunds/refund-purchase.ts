/** Refunds by an operator, for any kind of purchase, with the gateway that received the payment. */
import type { Reader, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { readPublicProfiles } from '../../../identity/users/public-profile.ts'
import { packPurchaseKind } from '../../../play/packs/purchase-kind.ts'
import { findGateway, type Payments } from '../../../play/purchases/gateways/create.ts'
import type { PaymentGateway } from '../../../play/purchases/gateways/gateway.ts'
import { findOfKinds, type PurchaseKind } from '../../../play/purchases/kind.ts'
import { findPayment } from '../../../play/purchases/payments.ts'
import { purchaseProblems } from '../../../play/purchases/problems.ts'
import { chargeOf, isPaidByGateway, type Purchase, statusOf } from '../../../play/purchases/purchase.ts'
import { markDue, type Refund, refund } from '../../../play/purchases/refund.ts'
import { orderKind } from '../../../play/shop/order-kind.ts'
import { topUpKind } from '../../../play/top-ups/top-up-kind.ts'

/** What can be bought. */
export const PURCHASE_KINDS: readonly PurchaseKind[] = [packPurchaseKind, orderKind, topUpKind]

interface Refundable {
  kind: PurchaseKind
  purchase: Purchase
  status: 'completed' | 'refund_due' | 'refunded'
}

interface RefundDeps {
  read: Reader
  /** Each call is one unit of work. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Called only for a payment of a gateway. */
  loadPayments(): Promise<Payments>
}

/** @throws DomainError `purchase_not_found`; `not_refundable` if nothing was paid */
export async function findRefundable(reader: Reader, id: string): Promise<Refundable> {
  const found = await findOfKinds(reader, PURCHASE_KINDS, id)
  if (!found)
    throw new DomainError(purchaseProblems.purchase_not_found, { detail: `There is no purchase ${id}.` })
  const status = statusOf(found.purchase, reader.now())
  if (status === 'completed' || status === 'refund_due' || status === 'refunded') return { ...found, status }
  throw new DomainError(purchaseProblems.not_refundable, {
    detail: `The ${found.kind.noun} is ${status}: nothing was paid.`,
  })
}

/**
 * Marks the refund as due, pays, then records it. After a crash in between, the purchase is listed as due, and the gateway
 * does not pay twice. The fan cannot use the goods meanwhile. Returns null and changes nothing if it is already refunded.
 * @throws DomainError of `findRefundable` and of the gateway
 */
export async function refundPurchase(
  { read, write, loadPayments }: RefundDeps,
  id: string,
): Promise<Refund | null> {
  const { kind, purchase, status } = await findRefundable(read, id)
  if (status === 'refunded') return null
  // never order_not_found, top_up_not_found: the purchase was found.
  try {
    if (isPaidByGateway(purchase)) {
      const gateway = gatewayOf(await loadPayments(), purchase)
      await write(tx => markDue(tx, kind, id))
      await gateway.refund(chargeOf(purchase), purchase.paymentReference ?? '')
    }
    return await write(tx => refund(tx, kind, id))
  } catch (error) {
    // A concurrent refund may have completed it.
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

const MAX_REFUNDS = 200

/** Due refunds of all kinds of purchases, the oldest first. */
export async function listRefundsDue(reader: Reader) {
  const due = []
  for (const kind of PURCHASE_KINDS)
    for (const row of await kind.listRefundsDue(reader)) due.push({ kind: kind.name, row })
  due.sort((a, b) => a.row.createdAt.getTime() - b.row.createdAt.getTime())
  const shown = due.slice(0, MAX_REFUNDS)
  const profiles = await readPublicProfiles(reader, [...new Set(shown.map(({ row }) => row.userId))])
  const refunds = []
  for (const { kind, row } of shown) {
    const { id: purchaseId, userId: id, paymentReference, createdAt } = row
    const payment = paymentReference === null ? undefined : await findPayment(reader, paymentReference)
    refunds.push({
      purchaseId,
      kind,
      paymentReference,
      fan: { id, displayName: profiles.get(id)?.displayName ?? null },
      price: { amount: row.priceAmount, currency: row.priceCurrency },
      createdAt: createdAt.toISOString(),
      since: (payment?.createdAt ?? createdAt).toISOString(),
    })
  }
  return { refunds, total: due.length }
}
