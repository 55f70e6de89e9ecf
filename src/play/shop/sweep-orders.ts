/**
 * Background tasks of orders: events of expiry, orders that were never paid, and addresses after a rotation of the key. Stock
 * is released without them.
 */

import { and, asc, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { deleteLockedInBatches } from '../../../db/batches.ts'
import { byIndex } from '../../../db/by-index.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { prepared } from '../../../db/prepared.ts'
import type { RotatingEncryption } from '../../core/encryption.ts'
import { isWithoutHold } from '../../economy/cash/holds.ts'
import { lockFan, lockToCount } from '../../identity/users/locks.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import { statusOf } from '../purchases/purchase.ts'
import { unpaidKeptSince } from '../purchases/unpaid-holds.ts'
import { decryptAddress, encryptAddress } from './addresses.ts'
import { recordOrder } from './events.ts'
import { findOrder, updateOrder } from './order-rows.ts'

const AT_ONCE = 100

/** Records the event of each order that has expired, once. Returns how many. */
export async function noteExpiredOrders(db: Database): Promise<number> {
  let noted = 0
  for (;;) {
    const due = await selectExpired(db.read, db.read.now())
    for (const { id } of due) if (await db.write(tx => noteExpiry(tx, id))) noted++
    if (due.length < AT_ONCE) return noted
  }
}

const selectExpired = prepared((reader: Reader, now: Date) => {
  const { orders } = reader.tables
  return (
    reader
      .select({ id: sql<string>`${orders.id}` })
      .from(byIndex(orders, 'orders_expiring'))
      // As the index states it: PostgreSQL keeps the plan for any parameter.
      .where(and(sql`${orders.status} = 'pending'`, isNull(orders.expiryNotedAt), lte(orders.expiresAt, now)))
      .orderBy(asc(orders.expiresAt))
      .limit(AT_ONCE)
  )
})

/** False if it was paid or cancelled meanwhile, or if another process has recorded its expiry. */
export async function noteExpiry(tx: Transaction, orderId: string): Promise<boolean> {
  const found = await findOrder(tx, orderId)
  if (!found) return false
  const fan = await lockFan(tx, found.userId)
  await lockToCount(tx, found.userId)
  const order = await findOrder(tx, orderId)
  if (!order || order.expiryNotedAt || statusOf(order, tx.clock()) !== 'expired') return false
  await updateOrder(tx, orderId, 'pending', { expiryNotedAt: tx.now() })
  tx.invalidate(productsTag)
  if (fan) await recordOrder(tx, 'order.expired', order)
  return true
}

/** Deletes orders that were never paid, long after they expired. Returns how many. */
export function deleteUnpaidOrders(db: Database): Promise<number> {
  const { orders, orderLines } = db.tables
  const isUnpaid = inArray(orders.status, ['pending', 'cancelled'])
  // A late payment locks the order too: it is paid, or deleted. The ledger of cash refers to orders with a hold.
  return deleteLockedInBatches(
    db,
    orders,
    tx => and(isUnpaid, lte(orders.expiresAt, unpaidKeptSince(tx.now())), isWithoutHold(tx, orders.id)),
    [[orderLines, orderLines.orderId]],
  )
}

/** Re-encrypts addresses that were encrypted with a former key. Returns how many. */
export async function reencryptAddresses(db: Database, encryption: RotatingEncryption): Promise<number> {
  const { orders } = db.tables
  let renewed = 0
  const rows = eachRow({ id: orders.id }, after =>
    db.read
      .select()
      .from(orders)
      .where(and(isNotNull(orders.address), after)),
  )
  for await (const { id, address: encrypted } of rows) {
    if (encrypted === null || encrypted.startsWith(encryption.currentPrefix)) continue
    const address = decryptAddress(encryption, { id, address: encrypted })
    if (!address) continue
    const changed = await db.write(tx =>
      tx
        .update(orders)
        .set({ address: encryptAddress(encryption, tx, id, address) })
        .where(and(eq(orders.id, id), eq(orders.address, encrypted)))
        .returning({ id: orders.id }),
    )
    renewed += changed.length
  }
  return renewed
}
