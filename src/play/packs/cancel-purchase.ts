/** Cancels a pending purchase: its hold ends immediately, and the pack can be sold to others. */

import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { needsMoney } from './complete-purchase.ts'
import { chargeOf } from './pay.ts'
import type { Charge } from './payments/gateway.ts'
import { presentPurchase, statusOf } from './present.ts'
import { packProblems } from './problems.ts'
import { requirePurchase, updatePurchase } from './purchases.ts'
import { lockLimitedPack } from './supply.ts'

/**
 * A repeat changes nothing and returns the cancelled purchase. A later payment is refunded.
 * `onCancelled` is called after the commit with a charge that must no longer be paid.
 */
export async function cancelPurchase(
  tx: Transaction,
  caller: Caller,
  purchaseId: string,
  onCancelled?: (charge: Charge) => void,
): Promise<ReturnType<typeof presentPurchase>> {
  const { packId } = await requirePurchase(tx, caller, purchaseId)
  // Of a limited supply, starting, completing and cancelling all lock the pack first; only then is the status final.
  const locked = await lockLimitedPack(tx, packId)
  const now = locked?.now ?? tx.clock()
  const purchase = await requirePurchase(tx, caller, purchaseId)

  const status = statusOf(purchase, now)
  if (status === 'cancelled') return presentPurchase(purchase, null, now)
  if (status !== 'pending')
    throw new DomainError(packProblems.purchase_not_pending, { detail: `The purchase is ${status}.` })
  const [cancelled] = await updatePurchase(tx, purchaseId, 'pending', { status: 'cancelled' })
  // Another request was first: its outcome is committed now.
  if (!cancelled) return cancelPurchase(tx, caller, purchaseId, onCancelled)
  if (needsMoney(purchase)) tx.afterCommit(() => onCancelled?.(chargeOf(purchase)))
  return presentPurchase(cancelled, null, now)
}
cancelPurchase.problems = [...requirePurchase.problems, packProblems.purchase_not_pending] as const
