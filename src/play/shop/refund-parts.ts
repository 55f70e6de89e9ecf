/** Refunds of parts of an order, as rows: due at the gateway, made, or void since the gateway has returned the whole payment. */
import { and, asc, eq, gte, inArray, isNotNull, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { OrderRow } from './order-rows.ts'

/** The gateway has returned the whole payment: what it still had to refund of it is not paid again. */
export async function voidDueParts(tx: Transaction, orderId: string): Promise<void> {
  const { orderRefunds: refunds } = tx.tables
  await tx
    .update(refunds)
    .set({ state: 'void', settledAt: tx.now() })
    .where(and(eq(refunds.orderId, orderId), eq(refunds.state, 'due')))
}

/** What was refunded of an order in parts. */
export const sumParts = preparedRow((reader: Reader, orderId: string) => {
  const { orderRefunds: refunds } = reader.tables
  return reader
    .select({ amount: sql`coalesce(sum(${refunds.amount}), 0)`.mapWith(Number) })
    .from(refunds)
    .where(and(eq(refunds.orderId, orderId), eq(refunds.state, 'refunded')))
})

/** Orders of which a gateway has refunded a part since, by id. */
export async function listWithParts(reader: Reader, since: Date): Promise<OrderRow[]> {
  const { orders, orderRefunds: refunds } = reader.tables
  const made = reader
    .select({ id: refunds.orderId })
    .from(refunds)
    .where(and(eq(refunds.state, 'refunded'), gte(refunds.settledAt, since)))
  return reader
    .select()
    .from(orders)
    .where(and(inArray(orders.id, made), isNotNull(orders.paymentReference)))
    .orderBy(asc(orders.id))
}

const MANY = 10_000

/** The oldest refunds of parts that a gateway has to make. */
export async function listPartsDue(reader: Reader, limit = MANY) {
  const { orders, orderRefunds: refunds } = reader.tables
  return reader
    .select({ id: refunds.id, amount: refunds.amount, purchase: orders })
    .from(refunds)
    .innerJoin(orders, eq(orders.id, refunds.orderId))
    .where(sql`${refunds.state} = 'due'`)
    .orderBy(asc(refunds.createdAt), asc(refunds.id))
    .limit(limit)
}
