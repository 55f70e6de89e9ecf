/** Common parts of the app stores: products by price, and events. */

import type { Charge, PaidEvent } from './gateway.ts'

/** One product of a store pays for any purchase with the same price. */
export const priceOf = ({ amount, currency }: Pick<Charge, 'amount' | 'currency'>) => `${amount} ${currency}`

/** A payment that the store has refunded, or whose refund it has reversed. */
export type RefundEvent = Pick<PaidEvent, 'purchaseId' | 'reference'>

export type StoreEvent =
  | ({ kind: 'paid' } & PaidEvent)
  | ({ kind: 'refunded' } & RefundEvent)
  | ({ kind: 'refund_reversed' } & RefundEvent)
