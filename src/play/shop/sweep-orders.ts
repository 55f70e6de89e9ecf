/**
 * Background tasks of orders: events of expiry, and addresses after a rotation of the key. Stock is released without them.
 */

import { and, asc, eq, isNotNull, isNull, lte } from 'drizzle-orm'
import type { Database, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import type { RotatingEncryption } from '../../core/encryption.ts'
import { lockFan, lockToCount } from '../../identity/users/users.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import { statusOf } from '../purchases/purchase.ts'
import { decryptAddress, encryptAddress } from './addresses.ts'
import { recordOrder } from './events.ts'
import { findOrder, updateOrder } from './order-rows.ts'

const AT_ONCE = 100

/** Records the event of each order that has expired, once. Returns how many. */
export async function noteExpiredOrders(db: Database): Promise<number> {
  const { orders } = db.tables
  let noted = 0
  for (;;) {
    const due = await db.read
      .select({ id: orders.id })
      .from(orders)
      .where(
        and(eq(orders.status, 'pending'), isNull(orders.expiryNotedAt), lte(orders.expiresAt, db.read.now())),
      )
      .orderBy(asc(orders.expiresAt))
      .limit(AT_ONCE)
    for (const { id } of due) if (await db.write(tx => noteExpiry(tx, id))) noted++
    if (due.length < AT_ONCE) return noted
  }
}

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
