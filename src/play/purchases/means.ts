/** Means of payment: how the price of a purchase is booked on completion, and returned on a refund. */

import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { captureHold, refundHeldPart, refundHold, releaseHold } from '../../economy/cash/holds.ts'
import { endPointsHold, requireUnheld } from '../../economy/points/holds.ts'
import { appendEntry, insufficientPoints } from '../../economy/points/ledger.ts'
import { type PurchaseKind, pointsReasonsOf } from './kind.ts'
import { insertPayment, markPaymentRefunded } from './payments.ts'
import { purchaseProblems } from './problems.ts'
import { isPaidByGateway, needsMoney, type Purchase, restOf } from './purchase.ts'

/** Of the fan: points, booked on completion, or held cash, by the price. Or money that a gateway has confirmed. */
export type Payment = { kind: 'own' } | MoneyPayment

interface MoneyPayment {
  kind: 'money'
  reference: string
  /** The store must be notified of the delivery; otherwise it refunds the payment. */
  acknowledge?: boolean | undefined
}

/** Google's limit. */
const ACKNOWLEDGE_WITHIN_MS = 3 * 86_400_000

interface MeansOfPayment<Given extends MoneyPayment[] = []> {
  /** Runs in the unit of work that completes the purchase. Throws if the payment does not cover it. */
  capture(tx: Transaction, kind: PurchaseKind, purchase: Purchase, ...payment: Given): Promise<void>
  /** Runs in the unit of work that marks the purchase as refunded. A gateway has returned the money before. */
  refund(tx: Transaction, kind: PurchaseKind, purchase: Purchase, part: Part): Promise<void>
}

/** What is refunded. */
interface Part {
  /** The id of the purchase for what is left of its price. */
  ref: string
  amount: number
  /** What stays paid. */
  left: number
}

const points: MeansOfPayment = {
  async capture(tx, kind, { id, userId, priceAmount }) {
    // A free purchase books nothing: the ledger has no entries of zero.
    if (priceAmount === 0) return
    const { paid: reason } = pointsReasonsOf(kind)
    const wasHeld = await endPointsHold(tx, id)
    // never points_limit_reached: the price is taken away.
    const booking = await appendEntry(tx, { userId, delta: -priceAmount, reason, ref: id })
    if (booking.outcome === 'insufficient') throw insufficientPoints(priceAmount, booking.balance)
    // What is held for this purchase is paid, even if points were taken back since that others hold.
    if (!wasHeld) await requireUnheld(tx, userId, booking.entry)
  },
  async refund(tx, kind, purchase, { ref, amount }) {
    if (amount === 0) return
    const { refunded: reason } = pointsReasonsOf(kind)
    await appendEntry(tx, { userId: purchase.userId, delta: amount, reason, ref })
  },
}

const money: MeansOfPayment<[MoneyPayment]> = {
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

const cash: MeansOfPayment = {
  async capture(tx, _kind, { id, userId, priceCurrency: currency }) {
    if (!(await captureHold(tx, id, { userId, currency })))
      throw new DomainError(purchaseProblems.payment_not_confirmed, {
        detail: 'A price in money needs `paymentReference`, or cash that is held for it.',
      })
  },
  async refund(tx, _kind, { id }, part) {
    const isRest = part.ref === id
    const refunded = isRest ? await refundHold(tx, id, part.amount) : await refundHeldPart(tx, id, part)
    if (!refunded) throw new DomainError(purchaseProblems.not_refundable)
  },
}

/** Whether the payment is made before the completion: if the purchase cannot complete, a refund is due. */
export const isPaidBefore = ({ kind }: Payment) => kind === 'money'

export function capture(tx: Transaction, kind: PurchaseKind, purchase: Purchase, payment: Payment) {
  if (payment.kind === 'money') return money.capture(tx, kind, purchase, payment)
  return (needsMoney(purchase) ? cash : points).capture(tx, kind, purchase)
}

/** Returns what is left of the price by the means with which it was paid. */
export function giveBack(tx: Transaction, kind: PurchaseKind, purchase: Purchase) {
  const rest = { ref: purchase.id, amount: restOf(purchase), left: 0 }
  if (isPaidByGateway(purchase)) return money.refund(tx, kind, purchase, rest)
  return givePartBack(tx, kind, purchase, rest)
}

/** Returns a part of a price that was paid with points or cash. */
export const givePartBack = (tx: Transaction, kind: PurchaseKind, purchase: Purchase, part: Part) =>
  (needsMoney(purchase) ? cash : points).refund(tx, kind, purchase, part)

export const usedBefore = () =>
  new DomainError(purchaseProblems.payment_not_confirmed, {
    detail: 'The payment was used for another purchase.',
  })
