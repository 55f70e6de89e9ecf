/** Refunds by an operator, for any kind of purchase, with the gateway that received the payment. */
import type { Reader } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { readPublicProfiles } from '../../../identity/users/public-profile.ts'
import { packPurchaseKind } from '../../../play/packs/purchase-kind.ts'
import { findOfKinds, type PurchaseKind } from '../../../play/purchases/kind.ts'
import { findPayment } from '../../../play/purchases/payments.ts'
import { purchaseProblems } from '../../../play/purchases/problems.ts'
import { type Purchase, restOf, statusOf } from '../../../play/purchases/purchase.ts'
import type { Refund } from '../../../play/purchases/refund.ts'
import { type RefundDeps, refundWithGateway } from '../../../play/purchases/refund-money.ts'
import { orderKind } from '../../../play/shop/order-kind.ts'
import { topUpKind } from '../../../play/top-ups/top-up-kind.ts'

/** What can be bought. */
export const PURCHASE_KINDS: readonly PurchaseKind[] = [packPurchaseKind, orderKind, topUpKind]

interface Refundable {
  kind: PurchaseKind
  purchase: Purchase
  status: 'completed' | 'refund_due' | 'refunded'
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

/** Null, with nothing changed, if it is already refunded. @throws DomainError of `findRefundable` and of the gateway */
export async function refundPurchase(deps: RefundDeps, id: string): Promise<Refund | null> {
  const { kind, purchase, status } = await findRefundable(deps.read, id)
  return status === 'refunded' ? null : refundWithGateway(deps, kind, purchase)
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
      price: { amount: restOf(row), currency: row.priceCurrency },
      createdAt: createdAt.toISOString(),
      since: (payment?.createdAt ?? createdAt).toISOString(),
    })
  }
  return { refunds, total: due.length }
}
