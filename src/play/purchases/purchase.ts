/** A purchase as the engine knows it: who buys, for how much, until when, how it was paid. Never what is bought. */

export const POINTS = 'POINTS'

/** The columns that the rows of every kind of purchase have. */
export interface Purchase {
  id: string
  userId: string
  /** `pending`, `completed`, `cancelled`, `refund_due` (paid, but to be given back) or `refunded`; `expired` is not stored. */
  status: string
  priceAmount: number
  /** POINTS, or ISO 4217. */
  priceCurrency: string
  createdAt: Date
  expiresAt: Date
  completedAt: Date | null
  refundedAt: Date | null
  /** The payment of a price in money. */
  paymentReference: string | null
}

export type PurchaseStatus = 'pending' | 'completed' | 'expired' | 'cancelled' | 'refund_due' | 'refunded'

/** `expired` is computed from the time, not stored: no job has to write it. */
export function statusOf({ status, expiresAt }: Purchase, now: Date): PurchaseStatus {
  // Guarantee of the cast: a constraint allows no other status.
  return status === 'pending' && expiresAt <= now ? 'expired' : (status as PurchaseStatus)
}

/** Whether it is paid with money: neither priced in points nor free. */
export const needsMoney = ({ priceAmount, priceCurrency }: Purchase) =>
  priceCurrency !== POINTS && priceAmount > 0

/** Of one that is paid: whether a gateway has its money. Otherwise it was paid with points or cash. */
export const isPaidByGateway = (purchase: Purchase) =>
  needsMoney(purchase) && purchase.paymentReference !== null

/** What a gateway knows of a purchase. */
export const chargeOf = ({ id, priceAmount, priceCurrency, expiresAt }: Purchase) => ({
  purchaseId: id,
  amount: priceAmount,
  currency: priceCurrency,
  expiresAt,
})
