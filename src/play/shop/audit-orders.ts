/** Invariants of the stock and the orders of the shop. Each is checked by one statement, and so in one snapshot. */
import { and, asc, eq, gt, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'

export async function findWrongOrders(reader: Reader): Promise<Finding[]> {
  const found = [
    ...[await findWrongStock(reader), await findWrongTotals(reader), await findWrongLines(reader)],
    ...[await findWrongParts(reader), await findWrongReturns(reader)],
  ]
  return found.flat()
}

/** The number of sold units must equal the units of sold lines that are not back. Sold and held units together must not exceed the stock. */
async function findWrongStock(reader: Reader): Promise<Finding[]> {
  const { productVariants: variants, orderLines: lines } = reader.tables
  const unitsWhere = (condition: SQL) => {
    const ofVariant = and(
      eq(lines.productId, variants.productId),
      eq(lines.variantId, variants.id),
      condition,
    )
    const sum = reader
      .select({ units: sql`sum(${lines.quantity} - ${lines.refundedUnits})` })
      .from(lines)
      .where(ofVariant)
    return sql<number>`coalesce((${sum}), 0)`.mapWith(Number)
  }
  const { productId, id, stockTotal, stockSold } = variants
  const rows = await reader
    .select({
      productId,
      id,
      stockTotal,
      stockSold,
      sold: unitsWhere(eq(lines.isSold, true)),
      held: unitsWhere(gt(lines.holdUntil, reader.now())),
    })
    .from(variants)
  return rows.flatMap(({ productId, id, stockTotal, stockSold, sold, held }) => {
    const name = `of ${productId} ${id}`
    return [
      ...differs(null, `product_variants.stock_sold ${name}`, sold, stockSold),
      ...(stockTotal !== null && stockSold + held > stockTotal
        ? differs(null, `product_variants.stock_total ${name}`, stockSold + held, stockTotal)
        : []),
    ]
  })
}

/** The price of an order must be the sum of its lines minus the discount. */
async function findWrongTotals(reader: Reader): Promise<Finding[]> {
  const { orders, orderLines: lines } = reader.tables
  const sum = reader
    .select({ amount: sql`sum(${lines.quantity} * ${lines.priceAmount})` })
    .from(lines)
    .where(eq(lines.orderId, orders.id))
  const due = sql<number>`coalesce((${sum}), 0) - ${orders.discountAmount}`.mapWith(Number)
  const rows = await reader
    .select({ id: orders.id, userId: orders.userId, amount: orders.priceAmount, due })
    .from(orders)
    .where(ne(orders.priceAmount, due))
  return rows.flatMap(({ id, userId, amount, due }) =>
    differs(userId, `orders.price_amount of ${id}`, due, amount),
  )
}

/** Lines must be sold when their order was completed, and held only while it is pending. */
async function findWrongLines(reader: Reader): Promise<Finding[]> {
  const { orders, orderLines: lines } = reader.tables
  const rows = await reader
    .select({
      id: orders.id,
      userId: orders.userId,
      status: orders.status,
      completedAt: orders.completedAt,
      number: lines.number,
      state: lines.state,
      isSold: lines.isSold,
      holdUntil: lines.holdUntil,
    })
    .from(lines)
    .innerJoin(orders, eq(orders.id, lines.orderId))
    .where(
      or(
        and(eq(lines.isSold, true), sql`${orders.completedAt} is null`),
        and(eq(orders.status, 'completed'), eq(lines.isSold, false), ne(lines.state, 'returned')),
        and(isNotNull(lines.holdUntil), ne(orders.status, 'pending')),
      ),
    )
  return rows.flatMap(({ id, userId, status, number, isSold, holdUntil }) => [
    ...differs(
      userId,
      `order_lines.is_sold of ${id} ${number}`,
      String(status === 'completed'),
      String(isSold),
    ),
    ...differs(
      userId,
      `order_lines.hold_until of ${id} ${number}`,
      null,
      holdUntil && status !== 'pending' ? holdUntil.toISOString() : null,
    ),
  ])
}

/** What was refunded of a price must be the sum of the parts, and never more than the price. */
async function findWrongParts(reader: Reader): Promise<Finding[]> {
  const { orders, orderRefunds: parts } = reader.tables
  const rows = await reader.select().from(parts).orderBy(asc(parts.orderId), asc(parts.number))
  const byOrder = Map.groupBy(rows, ({ orderId }) => orderId)
  const refunded = await reader
    .select({
      id: orders.id,
      userId: orders.userId,
      status: orders.status,
      price: orders.priceAmount,
      amount: orders.refundedAmount,
      reference: orders.paymentReference,
    })
    .from(orders)
    .where(or(ne(orders.refundedAmount, 0), isListed(reader, orders.id, toList([...byOrder.keys()]))))
  return refunded.flatMap(({ id, userId, status, price, amount, reference }) => {
    const own = byOrder.get(id) ?? []
    const sum = own.reduce((total, part) => total + part.amount, 0)
    return [
      ...differs(userId, `orders.refunded_amount of ${id}`, Math.min(sum, price), amount),
      ...(PAID.includes(status) ? [] : differs(userId, `orders.refunded_amount of ${id}`, 0, amount)),
      ...own.flatMap(({ id: partId, number, state, createdAt, settledAt }, index) => [
        ...differs(userId, `order_refunds.number of ${partId}`, index + 1, number),
        ...differs(userId, `order_refunds.id of ${partId}`, `${id}:${number}`, partId),
        ...(reference !== null
          ? []
          : [
              ...differs(userId, `order_refunds.state of ${partId}`, 'refunded', state),
              ...differsInTime(userId, `order_refunds.settled_at of ${partId}`, createdAt, settledAt),
            ]),
      ]),
    ]
  })
}

const PAID = ['completed', 'refund_due', 'refunded']

/** Units whose price was refunded must be those of the parts of a paid order; the others are refunded with the whole order. */
async function findWrongReturns(reader: Reader): Promise<Finding[]> {
  const { orders, orderLines: lines, orderRefunds: parts } = reader.tables
  const rows = await reader
    .select({ order: orders, line: lines })
    .from(lines)
    .innerJoin(orders, eq(orders.id, lines.orderId))
    .where(or(ne(lines.refundedUnits, 0), isNotNull(lines.withdrawnAt), isNotNull(lines.deliveredAt)))
  const ids = toList([...new Set(rows.map(({ order }) => order.id))])
  const units = new Map<string, number>()
  for (const part of await reader
    .select()
    .from(parts)
    .where(isListed(reader, parts.orderId, ids)))
    for (const { line, units: count } of linesOf(part.lines)) {
      const name = `${part.orderId} ${line}`
      units.set(name, (units.get(name) ?? 0) + count)
    }
  return rows.flatMap(({ order: { userId, status, completedAt }, line }) => {
    const name = `${line.orderId} ${line.number}`
    const { quantity, refundedUnits, withdrawnAt, deliveredAt, state, kind } = line
    const given = units.get(name) ?? 0
    // Of a free line there is no part.
    const due = status === 'completed' && line.priceAmount > 0 ? given : Math.max(given, refundedUnits)
    const arrived =
      kind === 'physical' && (state === 'delivered' || (state === 'returned' && withdrawnAt !== null))
    return [
      ...differs(userId, `order_lines.refunded_units of ${name}`, Math.min(due, quantity), refundedUnits),
      ...(refundedUnits > 0 && withdrawnAt === null
        ? differs(userId, `order_lines.withdrawn_at of ${name}`, 'set', null)
        : []),
      ...(withdrawnAt !== null && completedAt === null
        ? differs(userId, `order_lines.withdrawn_at of ${name}`, null, withdrawnAt)
        : []),
      ...(arrived ? [] : differs(userId, `order_lines.delivered_at of ${name}`, null, deliveredAt)),
    ]
  })
}

/** Guarantee of the cast: a refund writes it. */
const linesOf = (text: string) => JSON.parse(text) as { line: number; units: number }[]
