/** Refunds of purchases of packs. A sealed pack returns to the supply. */

import type { Transaction } from '../../../db/index.ts'
import { type Refund, refund } from '../purchases/refund.ts'
import { packPurchaseKind } from './purchase-kind.ts'

export { listRefundsDue } from './purchases.ts'

/** Refunds once. @throws DomainError `purchase_not_found`, `not_refundable` */
export const refundPurchase = (tx: Transaction, purchaseId: string): Promise<Refund> =>
  refund(tx, packPurchaseKind, purchaseId)
