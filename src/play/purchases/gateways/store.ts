/** What the stores of mobile platforms have in common: products of a price, and events of their own. */

import type { Charge, PaidEvent } from './gateway.ts'

/** A store's product pays any purchase of its price. */
export const priceOf = ({ amount, currency }: Pick<Charge, 'amount' | 'currency'>) => `${amount} ${currency}`

/** A payment that the store has given back, or has taken again. */
export type RefundEvent = Pick<PaidEvent, 'purchaseId' | 'reference'>

export type StoreEvent =
  | ({ kind: 'paid' } & PaidEvent)
  | ({ kind: 'refunded' } & RefundEvent)
  | ({ kind: 'refund_reversed' } & RefundEvent)
