/** Means of payment: how the price of a purchase is booked on completion, and returned on a refund. */

import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { captureHold, refundHold, releaseHold } from '../../economy/cash/holds.ts'
import { appendEntry, insufficientPoints } from '../../economy/points/ledger.ts'
import { type PurchaseKind, pointsReasonsOf } from './kind.ts'
import { insertPayment, markPaymentRefunded } from './payments.ts'
import { purchaseProblems } from './problems.ts'
import { isPaidByGateway, needsMoney, type Purchase } from './purchase.ts'

/** Points, booked on completion; held cash; or money that a gateway has confirmed. */
export type Payment = { kind: 'points' } | { kind: 'cash' } | MoneyPayment

interface MoneyPayment {
  kind: 'money'
  reference: string
  /** The store must be told of the delivery; otherwise it refunds the payment. */
  acknowledge?: boolean | undefined
}

/** Google's limit. */
const ACKNOWLEDGE_WITHIN_MS = 3 * 86_400_000

interface MeansOfPayment<Paid extends Payment> {
  /** Runs in the unit of work that completes the purchase. Throws if the payment does not cover it. */
  capture(tx: Transaction, kind: PurchaseKind, purchase: Purchase, payment: Paid): Promise<void>
  /** Runs in the unit of work that marks the purchase as refunded. A gateway has returned the money before. */
  refund(tx: Transaction, kind: PurchaseKind, purchase: Purchase): Promise<void>
}

const points: MeansOfPayment<{ kind: 'points' }> = {
  async capture(tx, kind, { id, userId, priceAmount }) {
    // A free purchase books nothing: the ledger has no entries of zero.
    if (priceAmount === 0) return
    const { paid: reason } = pointsReasonsOf(kind)
    // never points_limit_reached: the price is taken away.
    const booking = await appendEntry(tx, { userId, delta: -priceAmount, reason, ref: id })
    if (booking.outcome === 'insufficient') throw insufficientPoints(priceAmount, booking.balance)
  },
  async refund(tx, kind, { id, userId, priceAmount }) {
    if (priceAmount === 0) return
    const { refunded: reason } = pointsReasonsOf(kind)
    await appendEntry(tx, { userId, delta: priceAmount, reason, ref: id })
  },
}

const money: MeansOfPayment<MoneyPayment> = {
  async capture(tx, { name }, { id, status, priceAmount, priceCurrency }, { reference, acknowledge }) {
    const payment = { reference, kind: name, purchaseId: id, amount: priceAmount, currency: priceCurrency }
    const createdAt = tx.clock()
    // A payment that came too late is not acknowledged, so that the store refunds it by itself.
    const acknowledgeBy =
      acknowledge && status === 'completed' ? new Date(createdAt.getTime() + ACKNOWLEDGE_WITHIN_MS) : null
    if (!(await insertPayment(tx, { ...payment, createdAt, refundedAt: null, acknowledgeBy })))
      throw usedBefore()
    // The fan may have tried to pay with cash before.
    await releaseHold(tx, id)
  },
  async refund(tx, _kind, { id }) {
    await markPaymentRefunded(tx, id)
  },
}

const cash: MeansOfPayment<{ kind: 'cash' }> = {
  async capture(tx, _kind, { id }) {
    if (!(await captureHold(tx, id)))
      throw new DomainError(purchaseProblems.payment_not_confirmed, {
        detail: 'No cash is held for this purchase.',
      })
  },
  async refund(tx, _kind, { id }) {
    if (!(await refundHold(tx, id))) throw new DomainError(purchaseProblems.not_refundable)
  },
}

/** Whether the payment is made before the completion: if the purchase cannot complete, a refund is due. */
export const isPaidBefore = ({ kind }: Payment) => kind === 'money'

export function capture(tx: Transaction, kind: PurchaseKind, purchase: Purchase, payment: Payment) {
  if (payment.kind === 'points') return points.capture(tx, kind, purchase, payment)
  if (payment.kind === 'cash') return cash.capture(tx, kind, purchase, payment)
  return money.capture(tx, kind, purchase, payment)
}

/** Returns the price by the means with which it was paid. */
export function giveBack(tx: Transaction, kind: PurchaseKind, purchase: Purchase) {
  if (!needsMoney(purchase)) return points.refund(tx, kind, purchase)
  return (isPaidByGateway(purchase) ? money : cash).refund(tx, kind, purchase)
}

export const usedBefore = () =>
  new DomainError(purchaseProblems.payment_not_confirmed, {
    detail: 'The payment was used for another purchase.',
  })
