/** Cancels a pending purchase: its hold ends immediately, and the pack can be sold to others. */

import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { cancel } from '../purchases/cancel.ts'
import type { Charge } from '../purchases/gateways/gateway.ts'
import { presentPurchase } from './present.ts'
import { packProblems } from './problems.ts'
import { packPurchaseKind } from './purchase-kind.ts'
import { requirePurchase } from './purchases.ts'

/** Like `cancel` in `src/play/purchases/cancel.ts`. */
export async function cancelPurchase(
  tx: Transaction,
  caller: Caller,
  purchaseId: string,
  onCancelled?: (charge: Charge) => void,
): Promise<ReturnType<typeof presentPurchase>> {
  const purchase = await cancel(tx, packPurchaseKind, caller, purchaseId, onCancelled)
  return presentPurchase(purchase, null, tx.clock())
}
cancelPurchase.problems = [...requirePurchase.problems, packProblems.purchase_not_pending] as const
