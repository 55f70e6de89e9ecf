/** What must hold of the stock and the orders of the shop at every instant. Each rule is one statement, and so one snapshot. */
import {
  aliasedTable,
  and,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  like,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { POINTS } from '../../../play/purchases/purchase.ts'
import type { Finding } from './audit-fan.ts'

const PAID = ['completed', 'refund_due', 'refunded']

export async function findWrongOrders(reader: Reader): Promise<Finding[]> {
  const found = [
    await findWrongStock(reader),
    await findWrongTotals(reader),
    await findWrongPayments(reader),
    await findWrongLines(reader),
    await findWrongVouchers(reader),
  ]
  return found.flat()
}

/** Sold units are those of lines that are sold; sold and held ones together are at most the stock. */
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
      ...{ productId, id, stockTotal, stockSold },
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

/** The price of an order is the sum of its lines, less the discount. */
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

/**
 * What was paid is delivered, due, or refunded: an order in one of these has one payment, of its price, or has captured cash; no
 * other order has any.
 */
async function findWrongPayments(reader: Reader): Promise<Finding[]> {
  const { orders, payments, cashHolds: holds } = reader.tables
  const rows = await reader
    .select({
      ...{ id: orders.id, userId: orders.userId, status: orders.status, amount: orders.priceAmount },
      ...{ paid: payments.amount, paidCurrency: payments.currency, refundedAt: payments.refundedAt },
      ...{ currency: orders.priceCurrency, reference: payments.reference, named: orders.paymentReference },
      cash: holds.state,
    })
    .from(orders)
    .leftJoin(payments, and(eq(payments.purchaseId, orders.id), eq(payments.kind, 'order')))
    .leftJoin(holds, and(eq(holds.purchaseId, orders.id), inArray(holds.state, ['captured', 'refunded'])))
    .where(
      or(
        isNotNull(payments.reference),
        isNotNull(holds.state),
        and(ne(orders.priceCurrency, POINTS), inArray(orders.status, PAID)),
      ),
    )
  return rows.flatMap(row => {
    const isOwed = PAID.includes(row.status) && row.currency !== POINTS && row.amount > 0
    const isPaid = isOwed && row.cash === null
    const captured = row.status === 'refunded' ? 'refunded' : 'captured'
    const nameOf = (column: string) => `payments.${column} of ${row.id}`
    return [
      ...differs(row.userId, nameOf('amount'), isPaid ? row.amount : null, row.paid),
      ...differs(row.userId, `cash_holds.state of ${row.id}`, isOwed && row.cash ? captured : null, row.cash),
      ...(row.paid === null ? [] : differs(row.userId, nameOf('currency'), row.currency, row.paidCurrency)),
      ...(row.paid === null ? [] : differs(row.userId, nameOf('reference'), row.named, row.reference)),
      ...differs(
        row.userId,
        nameOf('refunded_at'),
        isPaid && row.status === 'refunded' ? 'set' : null,
        row.refundedAt && 'set',
      ),
    ]
  })
}

/** Lines are sold once their order was completed, and held only while it is pending. */
async function findWrongLines(reader: Reader): Promise<Finding[]> {
  const { orders, orderLines: lines } = reader.tables
  const rows = await reader
    .select({
      ...{ id: orders.id, userId: orders.userId, status: orders.status, completedAt: orders.completedAt },
      ...{ number: lines.number, state: lines.state, isSold: lines.isSold, holdUntil: lines.holdUntil },
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

/**
 * A voucher has one state: used by the order that it reduced, as long as that is paid, or at a desk; else void once its own order is
 * not paid any more or its fan is erased; else valid.
 */
async function findWrongVouchers(reader: Reader): Promise<Finding[]> {
  return [...(await findUnspentCredits(reader)), ...(await findWrongUnits(reader))]
}

/** Paid orders that a voucher reduced, and which it says nothing of. */
async function findUnspentCredits(reader: Reader): Promise<Finding[]> {
  const { orders, orderUnits: units } = reader.tables
  const isUser = eq(units.usedBy, sql`'order:' || ${orders.id}`)
  const rows = await reader
    .select({ id: orders.id, userId: orders.userId, used: units.code })
    .from(orders)
    .leftJoin(units, and(eq(units.code, orders.voucherCode), isUser))
    .where(and(isNotNull(orders.voucherCode), eq(orders.status, 'completed'), isNull(units.code)))
  return rows.flatMap(({ id, userId }) => differs(userId, `order_units.used_by for ${id}`, 'set', null))
}

async function findWrongUnits(reader: Reader): Promise<Finding[]> {
  const { orders, orderUnits: units, users } = reader.tables
  const user = aliasedTable(orders, 'user_order')
  const isPaid = and(eq(orders.status, 'completed'), isNull(users.erasedAt))
  const rows = await reader
    .select({
      ...{ orderId: units.orderId, line: units.line, unit: units.unit, userId: orders.userId },
      ...{ usedBy: units.usedBy, voidedAt: units.voidedAt, userStatus: user.status },
      isPaid: sql<number>`case when ${isPaid} then 1 else 0 end`.mapWith(Number),
    })
    .from(units)
    .innerJoin(orders, eq(orders.id, units.orderId))
    .innerJoin(users, eq(users.id, orders.userId))
    .leftJoin(user, eq(user.id, sql`substr(${units.usedBy}, 7)`))
    .where(
      and(
        isNotNull(units.code),
        or(
          and(isNull(units.usedAt), isNull(units.voidedAt), not(isPaid ?? sql`true`)),
          and(isNotNull(units.voidedAt), isPaid),
          and(like(units.usedBy, 'order:%'), or(isNull(user.id), ne(user.status, 'completed'))),
        ),
      ),
    )
  return rows.flatMap(({ orderId, line, unit, userId, usedBy, voidedAt, userStatus, isPaid }) => {
    const name = `of ${orderId} ${line} ${unit}`
    if (usedBy !== null)
      return differs(
        userId,
        `order_units.used_by ${name}`,
        null,
        `an order that is ${userStatus ?? 'unknown'}`,
      )
    return differs(userId, `order_units.voided_at ${name}`, isPaid ? null : 'set', voidedAt && 'set')
  })
}

const differs = (
  userId: string | null,
  what: string,
  expected: Finding['expected'],
  actual: Finding['actual'],
): Finding[] => (expected === actual ? [] : [{ userId, what, expected, actual }])
