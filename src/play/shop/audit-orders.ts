/** Invariants of the stock and the orders of the shop. Each is checked by one statement, and so in one snapshot. */
import { and, eq, gt, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { differs, type Finding } from '../../core/finding.ts'

export async function findWrongOrders(reader: Reader): Promise<Finding[]> {
  const found = [await findWrongStock(reader), await findWrongTotals(reader), await findWrongLines(reader)]
  return found.flat()
}

/** The number of sold units must equal the units of sold lines. Sold and held units together must not exceed the stock. */
async function findWrongStock(reader: Reader): Promise<Finding[]> {
  const { productVariants: variants, orderLines: lines } = reader.tables
  const unitsWhere = (condition: SQL) => {
    const ofVariant = and(
      eq(lines.productId, variants.productId),
      eq(lines.variantId, variants.id),
      condition,
    )
    const sum = reader
      .select({ units: sql`sum(${lines.quantity})` })
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
