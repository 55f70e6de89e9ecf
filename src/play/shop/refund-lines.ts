/**
 * Refunds of a part of an order. Each part of the price is allotted once, by a conditional update of the order: a refund of the whole
 * order returns what is left. A gateway refunds after the commit: see `pay-out.ts`.
 */
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { voidLatest } from '../../economy/events/void-latest.ts'
import { givePartBack } from '../purchases/means.ts'
import { isPaidByGateway, restOf } from '../purchases/purchase.ts'
import { creditPart } from '../purchases/receipts.ts'
import { markDue, refund } from '../purchases/refund.ts'
import { recordOrder } from './events.ts'
import { orderKind } from './order-kind.ts'
import { creditedUnits } from './order-receipts.ts'
import { findOrder, type LineRow, type OrderRow, readLines, updateLine } from './order-rows.ts'
import { paidByLine, paidForUnits } from './paid-amounts.ts'

export type OrderRefund = Tables['orderRefunds']['$inferSelect']

export interface ReturnedUnits {
  line: LineRow
  /** More than none. */
  units: number
}

interface Refunding {
  /** False for an erased fan, who gets no event. */
  tells: boolean
  /** Called after the commit if a gateway has to pay. */
  payOut: (orderId: string) => void
}

/**
 * Refunds the price of units that came back, of a paid order whose stock is locked. With the last unit, the order is refunded.
 */
export async function refundUnits(
  tx: Transaction,
  orderId: string,
  returned: ReturnedUnits[],
  { tells, payOut }: Refunding,
): Promise<void> {
  const before = await readLines(tx, orderId)
  for (const { line, units } of returned)
    await updateLine(tx, orderId, line.number, { refundedUnits: line.refundedUnits + units })
  const [order, lines] = [await findOrder(tx, orderId), await readLines(tx, orderId)]
  if (!order) throw new Error('an order vanished')
  const byGateway = isPaidByGateway(order)
  if (lines.every(({ quantity, refundedUnits }) => quantity === refundedUnits)) {
    // never order_not_found, purchase_not_found, not_refundable, points_limit_reached: the order is paid, and locked.
    if (byGateway && restOf(order) > 0) await markDue(tx, orderKind, orderId)
    // never order_not_found, purchase_not_found, not_refundable, points_limit_reached: as above; the fan had these points.
    else await refund(tx, orderKind, orderId)
  } else {
    const amount = sumOf(order, lines) - sumOf(order, before)
    const left = amount > 0 ? await refundPart(tx, order, amount, { returned, lines }) : order
    if (tells) await recordAnew(tx, left, lines)
  }
  if (byGateway) tx.afterCommit(() => payOut(orderId))
}

/** What was paid for the units that are refunded. */
function sumOf({ discountAmount }: OrderRow, lines: LineRow[]): number {
  const paid = paidByLine(lines, discountAmount)
  return lines.reduce(
    (sum, { quantity, refundedUnits }, index) =>
      sum + paidForUnits(paid[index] ?? 0, quantity, refundedUnits),
    0,
  )
}

async function refundPart(
  tx: Transaction,
  order: OrderRow,
  amount: number,
  { returned, lines }: { returned: ReturnedUnits[]; lines: LineRow[] },
): Promise<OrderRow> {
  const [left] = await allot(tx, order.id, amount)
  if (!left) throw new Error('a refund exceeds what is left of the price')
  const number = (await readRefunds(tx, order.id)).length + 1
  const id = `${order.id}:${number}`
  const isDue = isPaidByGateway(order)
  // never points_limit_reached: the fan had these points.
  if (!isDue) await givePartBack(tx, orderKind, order, { ref: id, amount, left: restOf(left) })
  const units = JSON.stringify(returned.map(({ line, units }) => ({ line: line.number, units })))
  const now = tx.clock()
  const part = { id, orderId: order.id, number, amount, lines: units, createdAt: now }
  const settling = isDue ? { state: 'due', settledAt: null } : { state: 'refunded', settledAt: now }
  await insertRefund(tx, { ...part, ...settling })
  await creditPart(tx, order.id, { ref: id, credited: creditedUnits(order, lines, returned) })
  return left
}

const allot = prepared((tx: Transaction, orderId: string, amount: number) => {
  const { orders } = tx.tables
  const allotted = sql<number>`${orders.refundedAmount} + ${amount}`
  return tx
    .update(orders)
    .set({ refundedAmount: allotted })
    .where(and(eq(orders.id, orderId), eq(orders.status, 'completed'), lte(allotted, orders.priceAmount)))
    .returning()
})

const insertRefund = prepared((tx: Transaction, row: OrderRefund) =>
  tx.insert(tx.tables.orderRefunds).values(row),
)

/** Rules and quests count what is left of the order, at the time of its payment. */
async function recordAnew(tx: Transaction, order: OrderRow, lines: LineRow[]): Promise<void> {
  await voidLatest(tx, { userId: order.userId, type: 'order.paid', about: { orderId: order.id } })
  const left = lines.flatMap(({ quantity, refundedUnits, ...line }) =>
    quantity > refundedUnits ? { ...line, refundedUnits, quantity: quantity - refundedUnits } : [],
  )
  await recordOrder(tx, 'order.paid', { ...order, priceAmount: restOf(order) }, left, order.completedAt)
}

/** The refunds of parts of an order, in their order. */
export const readRefunds = prepared((reader: Reader, orderId: string) => {
  const { orderRefunds: refunds } = reader.tables
  return reader.select().from(refunds).where(eq(refunds.orderId, orderId)).orderBy(asc(refunds.number))
})

/** Settles what is due, once. */
export async function settlePart(tx: Transaction, id: string, state: 'refunded'): Promise<void> {
  const { orderRefunds: refunds } = tx.tables
  await tx
    .update(refunds)
    .set({ state, settledAt: tx.now() })
    .where(and(eq(refunds.id, id), eq(refunds.state, 'due')))
}
