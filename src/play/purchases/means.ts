/** Means of payment: how the price of a purchase is booked when it completes, and given back when it is refunded. */

import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { appendEntry, insufficientPoints } from '../../economy/points/ledger.ts'
import type { PurchaseKind } from './kind.ts'
import { insertPayment, markPaymentRefunded } from './payments.ts'
import { purchaseProblems } from './problems.ts'
import { needsMoney, type Purchase } from './purchase.ts'

/** With points, booked on completion, or with money that a gateway has confirmed. */
export type Payment = { kind: 'points' } | MoneyPayment

interface MoneyPayment {
  kind: 'money'
  reference: string
  /** The store waits to hear that what was paid is delivered, and gives the money back otherwise. */
  acknowledge?: boolean | undefined
}

/** Google's limit. */
const ACKNOWLEDGE_WITHIN_MS = 3 * 86_400_000

interface MeansOfPayment<Paid extends Payment> {
  /** Whether the fan has paid before the purchase completes: if it cannot complete, a refund is due. */
  readonly paidBefore: boolean
  /** In the unit of work that completes the purchase. Throws if the payment does not pay it. */
  capture(tx: Transaction, kind: PurchaseKind, purchase: Purchase, payment: Paid): Promise<void>
  /** In the unit of work that marks the purchase as refunded. A gateway has given its money back before. */
  refund(tx: Transaction, kind: PurchaseKind, purchase: Purchase): Promise<void>
}

const points: MeansOfPayment<{ kind: 'points' }> = {
  paidBefore: false,
  async capture(tx, { reasons }, { id, userId, priceAmount }) {
    // A free purchase books nothing: the ledger has no entries of zero.
    if (priceAmount === 0) return
    const booking = await appendEntry(tx, { userId, delta: -priceAmount, reason: reasons.paid, ref: id })
    if (booking.outcome === 'insufficient') throw insufficientPoints(priceAmount, booking.balance)
  },
  async refund(tx, { reasons }, { id, userId, priceAmount }) {
    if (priceAmount > 0)
      await appendEntry(tx, { userId, delta: priceAmount, reason: reasons.refunded, ref: id })
  },
}

const money: MeansOfPayment<MoneyPayment> = {
  paidBefore: true,
  async capture(tx, { name }, { id, status, priceAmount, priceCurrency }, { reference, acknowledge }) {
    const payment = { reference, kind: name, purchaseId: id, amount: priceAmount, currency: priceCurrency }
    const createdAt = tx.clock()
    // What came too late stays unacknowledged: the store gives it back even if nobody asks it to.
    const acknowledgeBy =
      acknowledge && status === 'completed' ? new Date(createdAt.getTime() + ACKNOWLEDGE_WITHIN_MS) : null
    if (!(await insertPayment(tx, { ...payment, createdAt, refundedAt: null, acknowledgeBy })))
      throw usedBefore()
  },
  async refund(tx, _kind, { id }) {
    await markPaymentRefunded(tx, id)
  },
}

export const isPaidBefore = (payment: Payment) => (payment.kind === 'points' ? points : money).paidBefore

export const capture = (tx: Transaction, kind: PurchaseKind, purchase: Purchase, payment: Payment) =>
  payment.kind === 'points'
    ? points.capture(tx, kind, purchase, payment)
    : money.capture(tx, kind, purchase, payment)

export const giveBack = (tx: Transaction, kind: PurchaseKind, purchase: Purchase) =>
  (needsMoney(purchase) ? money : points).refund(tx, kind, purchase)

export const usedBefore = () =>
  new DomainError(purchaseProblems.payment_not_confirmed, {
    detail: 'The payment was used for another purchase.',
  })
