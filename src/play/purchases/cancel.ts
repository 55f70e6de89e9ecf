/** Cancels a pending purchase: its hold ends immediately, and the held stock can be sold to others. */
import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { releaseHold } from '../../economy/cash/holds.ts'
import { endPointsHold } from '../../economy/points/holds.ts'
import type { Charge } from './gateways/gateway.ts'
import { describeStatus, type Locked, type PurchaseKind, requireOwn } from './kind.ts'
import { chargeOf, needsMoney, type Purchase, statusOf } from './purchase.ts'

/**
 * A repeat changes nothing and returns the cancelled purchase. A later payment is refunded. After the commit, `onCancelled`
 * is called with the charge, which must no longer be paid.
 */
export async function cancel<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  kind: PurchaseKind<Row, Lock, Result>,
  caller: Caller,
  purchaseId: string,
  onCancelled?: (charge: Charge) => void,
): Promise<Row> {
  const found = await requireOwn(tx, kind, caller, purchaseId)
  // With a limited stock, starting, completing and cancelling all lock the stock first. Under the lock, the status is final.
  const locked = await kind.lock(tx, found, 'limited')
  const purchase = await requireOwn(tx, kind, caller, purchaseId)

  const now = locked?.now ?? tx.clock()
  const status = statusOf(purchase, now)
  if (status === 'cancelled') return purchase
  if (status !== 'pending')
    throw new DomainError(kind.problems.notPending, { detail: describeStatus(kind, status) })
  // never payment_not_confirmed: no payment is written.
  const cancelled = await kind.update(tx, purchase, 'pending', { status: 'cancelled', cancelledAt: now })
  // Another request was first and has committed its outcome.
  if (!cancelled) return cancel(tx, kind, caller, purchaseId, onCancelled)
  await kind.release(tx, cancelled)
  if (needsMoney(purchase)) await releaseHold(tx, purchase.id)
  else await endPointsHold(tx, purchase.id)
  if (needsMoney(purchase)) tx.afterCommit(() => onCancelled?.(chargeOf(purchase)))
  return cancelled
}
