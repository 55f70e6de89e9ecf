/** Open money: orders that may still be paid, and refunds that are due. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

export interface OpenMoney {
  /** Prices of pending orders by currency. Points, or minor units. */
  held: Map<string, number>
  /** By currency, of packs and orders. */
  due: Map<string, number>
  /** Time of the oldest payment whose refund is due. */
  dueSince: Date | null
}

/** Reads open purchases only, by their indexes. */
export async function readOpenMoney(reader: Reader): Promise<OpenMoney> {
  const { orders, orderRefunds: parts, packPurchases, payments } = reader.tables
  const isPending = and(eq(orders.status, 'pending'), gt(orders.expiresAt, reader.now()))
  const held = await reader
    .select({ currency: orders.priceCurrency, amount: sql`sum(${orders.priceAmount})`.mapWith(Number) })
    .from(orders)
    .where(isPending)
    .groupBy(orders.priceCurrency)
  const due = []
  for (const { table, amount } of [
    { table: orders, amount: sql`${orders.priceAmount} - ${orders.refundedAmount}`.mapWith(Number) },
    { table: packPurchases, amount: packPurchases.priceAmount },
  ])
    due.push(
      ...(await reader
        .select({
          currency: table.priceCurrency,
          amount,
          since: sql`coalesce(${payments.createdAt}, ${table.createdAt})`.mapWith(table.createdAt),
        })
        .from(table)
        .leftJoin(payments, eq(payments.purchaseId, table.id))
        .where(eq(table.status, 'refund_due'))
        .orderBy(asc(table.createdAt))),
    )
  due.push(
    ...(await reader
      .select({ currency: orders.priceCurrency, amount: parts.amount, since: parts.createdAt })
      .from(parts)
      .innerJoin(orders, eq(orders.id, parts.orderId))
      .where(sql`${parts.state} = 'due'`)
      .orderBy(asc(parts.createdAt))),
  )
  const sums = new Map<string, number>()
  for (const { currency, amount } of due) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  const times = due.map(({ since }) => since.getTime())
  return {
    held: new Map(held.map(({ currency, amount }) => [currency, amount])),
    due: sums,
    dueSince: times.length === 0 ? null : new Date(Math.min(...times)),
  }
}
