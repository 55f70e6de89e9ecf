import type { Transaction } from '../../../db/index.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { type LineRow, type OrderRow, readLines } from './order-rows.ts'

type OrderEvent =
  | 'order.created'
  | 'order.paid'
  | 'order.expired'
  | 'order.cancelled'
  | 'order.refund_due'
  | 'order.refunded'

export async function recordOrder(
  tx: Transaction,
  type: OrderEvent,
  order: OrderRow,
  lines?: LineRow[],
  occurredAt?: Date | null,
): Promise<void> {
  const data = saleOf(order, lines ?? (await readLines(tx, order.id)))
  await recordEvent(tx, { userId: order.userId, type, data, ...(occurredAt ? { occurredAt } : {}) })
}

/** An order in the data of events. */
export function saleOf({ id: orderId, priceAmount, priceCurrency: currency }: OrderRow, lines: LineRow[]) {
  return {
    orderId,
    total: { amount: priceAmount, currency },
    lines: lines.map(({ productId, variantId, quantity, priceAmount: amount }) => ({
      productId,
      variantId,
      quantity,
      price: { amount, currency },
    })),
  }
}

export async function recordLine(tx: Transaction, { userId }: OrderRow, line: LineRow): Promise<void> {
  await recordEvent(tx, { userId, type: 'order.line_changed', data: lineDataOf(line) })
}

/** A line in the data of events. */
export function lineDataOf(line: LineRow) {
  const { orderId, number, productId, variantId, quantity, carrier, tracking } = line
  // Guarantee of the cast: the club cannot change a line back to the state before the payment.
  const state = line.state as 'ready' | 'shipped' | 'delivered' | 'returned'
  return { orderId, line: number, productId, variantId, quantity, state, carrier, tracking }
}
