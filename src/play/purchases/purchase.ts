/**
 * What purchases of all kinds share: fan, price, expiry and payment, but not the goods. A pending purchase is completed
 * (`complete.ts`), cancelled (`cancel.ts`), or expires. A completed one can become `refund_due` and `refunded` (`refund.ts`).
 */

export const POINTS = 'POINTS'

/** The columns that the rows of every kind of purchase have. */
export interface Purchase {
  id: string
  userId: string
  /**
   * `pending`, `completed`, `cancelled`, `refund_due` (paid, but must be refunded) or `refunded`; `expired` is not stored.
   */
  status: string
  priceAmount: number
  /** POINTS, or ISO 4217. */
  priceCurrency: string
  createdAt: Date
  expiresAt: Date
  completedAt: Date | null
  /** Absent from kinds that cannot be cancelled. */
  cancelledAt?: Date | null
  refundedAt: Date | null
  /** Part of the price that was refunded before, or is due at the gateway. Absent from kinds without parts. */
  refundedAmount?: number
  /** The payment of a price in money. */
  paymentReference: string | null
}

export type PurchaseStatus = 'pending' | 'completed' | 'expired' | 'cancelled' | 'refund_due' | 'refunded'

/** `expired` is computed from the time, so no job has to write it. */
export function statusOf({ status, expiresAt }: Purchase, now: Date): PurchaseStatus {
  // Guarantee of the cast: a constraint allows no other status.
  return status === 'pending' && expiresAt <= now ? 'expired' : (status as PurchaseStatus)
}

/** Whether it is paid with money: neither priced in points nor free. */
export const needsMoney = ({ priceAmount, priceCurrency }: Pick<Purchase, 'priceAmount' | 'priceCurrency'>) =>
  priceCurrency !== POINTS && priceAmount > 0

/** Whether a paid purchase was paid through a gateway. Otherwise it was paid with points or cash. */
export const isPaidByGateway = (purchase: Purchase) =>
  needsMoney(purchase) && purchase.paymentReference !== null

/** What a refund of the purchase returns. */
export const restOf = ({
  priceAmount,
  refundedAmount = 0,
}: Pick<Purchase, 'priceAmount' | 'refundedAmount'>): number => priceAmount - refundedAmount

/** The data of a purchase that a gateway gets. */
export const chargeOf = (purchase: Purchase) => ({
  purchaseId: purchase.id,
  amount: restOf(purchase),
  currency: purchase.priceCurrency,
  expiresAt: purchase.expiresAt,
  isPart: restOf(purchase) < purchase.priceAmount,
})
