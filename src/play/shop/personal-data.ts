/** The orders of a fan, for the export and the erasure. */

import { and, eq, gt, inArray, isNotNull, not, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import type { Encryption } from '../../core/encryption.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import { readWhole, updateLines } from './order-rows.ts'
import { presentOrder } from './orders.ts'
import { voidVouchersOf } from './vouchers.ts'

const UNREADABLE: Encryption = { encrypt: () => '', decrypt: () => null }

/** Oldest first. Without the encryption, addresses are left out. */
export async function* exportOrders(reader: Reader, userId: string, encryption: Encryption = UNREADABLE) {
  const { orders } = reader.tables
  const rows = eachRow({ id: orders.id }, after =>
    reader
      .select()
      .from(orders)
      .where(and(eq(orders.userId, userId), after)),
  )
  for await (const row of rows) {
    const [whole] = await readWhole(reader, [row])
    if (whole)
      yield { ...presentOrder(whole, encryption, reader.now()), paymentReference: row.paymentReference }
  }
}

/**
 * Cancels unpaid orders, and deletes tracking numbers and addresses, except addresses that the operator keeps for invoices
 * of paid orders. A repeat deletes addresses whose time has ended.
 */
export async function eraseOrders(tx: Transaction, userId: string): Promise<void> {
  const { orders, orderLines } = tx.tables
  await lockToCount(tx, userId)
  const isOwn = eq(orders.userId, userId)
  const cancelled = await tx
    .update(orders)
    .set({ status: 'cancelled', cancelledAt: tx.now() })
    .where(and(isOwn, eq(orders.status, 'pending')))
    .returning({ id: orders.id })
  for (const { id } of cancelled) await updateLines(tx, id, { holdUntil: null })
  if (cancelled.length > 0) tx.invalidate(productsTag)
  const own = tx.select({ id: orders.id }).from(orders).where(isOwn)
  await voidVouchersOf(
    tx,
    (await own).map(({ id }) => id),
  )
  await tx
    .update(orderLines)
    .set({ tracking: null })
    .where(and(inArray(orderLines.orderId, own), isNotNull(orderLines.tracking)))
  await tx
    .update(orders)
    .set({ address: null })
    .where(and(isOwn, isNotNull(orders.address), not(isKept(tx))))
}

/** Whether an erasure keeps the address: the order was paid, and the time to keep it has not ended. */
function isKept({ tables: { orders }, now }: Reader): SQL {
  const { completedAt, addressKeptUntil } = orders
  return sql`(${isNotNull(completedAt)} and ${isNotNull(addressKeptUntil)} and ${gt(addressKeptUntil, now())})`
}
