/** Deletes addresses of orders that are no longer needed. */
import { and, eq, inArray, isNotNull, lte } from 'drizzle-orm'
import { inBatches } from '../../../db/batches.ts'
import type { Database, Transaction } from '../../../db/index.ts'

/** A late payment may still need the address: gateways report for days. */
const UNPAID_ADDRESS_MS = 30 * 86_400_000

/** Deletes addresses of orders that were never paid, and of erased fans when their retention ends. Returns how many. */
export async function sweepAddresses(db: Database): Promise<number> {
  const unpaid = await inBatches(db, deleteUnpaid)
  return unpaid + (await inBatches(db, deleteErased))
}

async function deleteUnpaid(tx: Transaction, size: number): Promise<number> {
  const { orders } = tx.tables
  const isOld = lte(orders.expiresAt, new Date(tx.now().getTime() - UNPAID_ADDRESS_MS))
  const isUnpaid = inArray(orders.status, ['pending', 'cancelled'])
  const due = tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(isUnpaid, isOld, isNotNull(orders.address)))
    .limit(size)
  const deleted = await tx
    .update(orders)
    .set({ address: null })
    .where(and(inArray(orders.id, due), isUnpaid))
    .returning({ id: orders.id })
  return deleted.length
}

async function deleteErased(tx: Transaction, size: number): Promise<number> {
  const { orders, users } = tx.tables
  const due = tx
    .select({ id: orders.id })
    .from(users)
    .innerJoin(orders, eq(orders.userId, users.id))
    .where(and(isNotNull(users.erasedAt), isNotNull(orders.address), lte(orders.addressKeptUntil, tx.now())))
    .limit(size)
  const deleted = await tx
    .update(orders)
    .set({ address: null })
    .where(inArray(orders.id, due))
    .returning({ id: orders.id })
  return deleted.length
}
