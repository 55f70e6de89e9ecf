/** The rows of orders, of their lines, and of the units that lines have delivered. */

import { and, asc, eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { statusOf } from '../purchases/purchase.ts'

export type OrderRow = Tables['orders']['$inferSelect']
export type LineRow = Tables['orderLines']['$inferSelect']
type UnitRow = Tables['orderUnits']['$inferSelect']

/** An order with all that is stored about it. */
export interface WholeOrder {
  order: OrderRow
  /** In the order of the cart. */
  lines: LineRow[]
  /** By line and number. */
  units: UnitRow[]
}

export const findOrder = preparedRow((reader: Reader, orderId: string) => {
  const { orders } = reader.tables
  return reader.select().from(orders).where(eq(orders.id, orderId))
})

/** Changes an order of this status. */
export const updateOrder = prepared(
  (tx: Transaction, orderId: string, status: string, changes: Partial<OrderRow>) => {
    const { orders } = tx.tables
    return tx
      .update(orders)
      .set(changes)
      .where(and(eq(orders.id, orderId), eq(orders.status, status)))
      .returning()
  },
)

export const updateLines = prepared((tx: Transaction, orderId: string, changes: Partial<LineRow>) => {
  const { orderLines } = tx.tables
  return tx.update(orderLines).set(changes).where(eq(orderLines.orderId, orderId)).returning()
})

export const updateLine = prepared(
  (tx: Transaction, orderId: string, number: number, changes: Partial<LineRow>) => {
    const { orderLines } = tx.tables
    return tx
      .update(orderLines)
      .set(changes)
      .where(and(eq(orderLines.orderId, orderId), eq(orderLines.number, number)))
      .returning()
  },
)

export const readLines = prepared((reader: Reader, orderId: string) => {
  const { orderLines } = reader.tables
  return reader
    .select()
    .from(orderLines)
    .where(eq(orderLines.orderId, orderId))
    .orderBy(asc(orderLines.number))
})

export const readUnits = (reader: Reader, orderId: string) => selectUnits(reader, toList([orderId]))

/** In the order of the given orders. */
export async function readWhole(reader: Reader, orders: OrderRow[]): Promise<WholeOrder[]> {
  if (orders.length === 0) return []
  const ids = toList(orders.map(({ id }) => id))
  const lines = Map.groupBy(await selectLines(reader, ids), ({ orderId }) => orderId)
  const units = Map.groupBy(await selectUnits(reader, ids), ({ orderId }) => orderId)
  return orders.map(order => ({
    order,
    lines: lines.get(order.id) ?? [],
    units: units.get(order.id) ?? [],
  }))
}

/** The order must exist. */
export async function readOrderWhole(reader: Reader, orderId: string): Promise<WholeOrder> {
  const order = await findOrder(reader, orderId)
  const [whole] = order ? await readWhole(reader, [order]) : []
  if (!whole) throw new Error('an order vanished')
  return whole
}

const selectLines = prepared((reader: Reader, orderIds: string) => {
  const { orderLines } = reader.tables
  return reader
    .select()
    .from(orderLines)
    .where(isListed(reader, orderLines.orderId, orderIds))
    .orderBy(asc(orderLines.orderId), asc(orderLines.number))
})

const selectUnits = prepared((reader: Reader, orderIds: string) => {
  const { orderUnits } = reader.tables
  return reader
    .select()
    .from(orderUnits)
    .where(isListed(reader, orderUnits.orderId, orderIds))
    .orderBy(asc(orderUnits.orderId), asc(orderUnits.line), asc(orderUnits.unit))
})

const ENDED = new Set(['delivered', 'returned'])

/** The status for fans: `completed` is shown as `paid`, and as `fulfilled` when each line has arrived. */
export function shownStatusOf({ order, lines }: Pick<WholeOrder, 'order' | 'lines'>, now: Date) {
  const status = statusOf(order, now)
  if (status !== 'completed') return status
  return lines.every(({ state }) => ENDED.has(state)) ? 'fulfilled' : 'paid'
}
