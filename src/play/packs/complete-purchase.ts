/** Completes the purchase of a pack, once: books the payment, takes a pack from the supply and creates the sealed pack. */

import type { Transaction } from '../../../db/index.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { complete } from '../purchases/complete.ts'
import type { Payment } from '../purchases/means.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import { packPurchaseKind } from './purchase-kind.ts'

/**
 * Like `complete` in `src/play/purchases/complete.ts`: the client and the gateway may both call it, concurrently and
 * repeatedly.
 */
export const completePurchase = Object.assign(
  (tx: Transaction, purchaseId: string, payment: Payment) =>
    complete(tx, packPurchaseKind, purchaseId, payment),
  {
    problems: [
      purchaseProblems.purchase_not_found,
      pointsProblems.insufficient_points,
      purchaseProblems.payment_not_confirmed,
    ] as const,
  },
)
