/** Invariants of vouchers, and of the orders that they reduced. Each is checked by one statement, and so in one snapshot. */
import { aliasedTable, and, eq, isNotNull, isNull, like, ne, not, or, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'
import { deliversOf } from './verify-deliveries.ts'

/**
 * A voucher must have exactly one state: used, by the paid order that it reduced or at a desk; otherwise void, if its own
 * order is no longer paid or its fan is erased; otherwise valid.
 */
export async function findWrongVouchers(reader: Reader): Promise<Finding[]> {
  return [...(await findUnspentCredits(reader)), ...(await findWrongUnits(reader))]
}

/** Paid orders with a voucher that does not name the order. */
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
  const { orders, orderLines: lines, orderUnits: units, users } = reader.tables
  const user = aliasedTable(orders, 'user_order')
  const isPaid = and(eq(orders.status, 'completed'), isNull(users.erasedAt))
  const rows = await reader
    .select({
      orderId: units.orderId,
      line: units.line,
      unit: units.unit,
      userId: orders.userId,
      usedBy: units.usedBy,
      voidedAt: units.voidedAt,
      userStatus: user.status,
      isPaid: sql<number>`case when ${isPaid} then 1 else 0 end`.mapWith(Number),
    })
    .from(units)
    .innerJoin(orders, eq(orders.id, units.orderId))
    .innerJoin(lines, and(eq(lines.orderId, units.orderId), eq(lines.number, units.line)))
    .innerJoin(users, eq(users.id, orders.userId))
    .leftJoin(user, eq(user.id, sql`substr(${units.usedBy}, 7)`))
    .where(
      and(
        isNotNull(units.code),
        or(
          and(isNull(units.usedAt), isNull(units.voidedAt), not(isPaid ?? sql`true`)),
          and(isNotNull(units.voidedAt), isPaid, isNull(lines.withdrawnAt)),
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

/** A discount must equal the credit of the voucher, limited to the price of the lines. */
export async function findWrongDiscounts(reader: Reader): Promise<Finding[]> {
  const { orders, orderUnits: units, orderLines: lines } = reader.tables
  const reduced = await reader
    .select()
    .from(orders)
    .where(or(isNotNull(orders.voucherCode), ne(orders.discountAmount, 0)))
  const codes = toList(reduced.flatMap(({ voucherCode }) => voucherCode ?? []))
  const sold = await reader
    .select({ unit: units, delivers: lines.delivers, currency: orders.priceCurrency })
    .from(units)
    .innerJoin(lines, and(eq(lines.orderId, units.orderId), eq(lines.number, units.line)))
    .innerJoin(orders, eq(orders.id, units.orderId))
    .where(isListed(reader, units.code, codes))
  const vouchers = new Map(sold.map(voucher => [voucher.unit.code, voucher]))
  return reduced.flatMap(
    ({ id, userId, discountAmount, priceAmount, voucherCode, completedAt, ...order }) => {
      if (voucherCode === null) return differs(userId, `orders.discount_amount of ${id}`, 0, discountAmount)
      const voucher = vouchers.get(voucherCode)
      if (!voucher)
        return differs(userId, `orders.voucher_code of ${id}`, 'the code of a voucher', voucherCode)
      const { credit = 0 } = deliversOf(voucher.delivers)
      const due = Math.min(credit, priceAmount + discountAmount)
      const { usedBy, usedAt } = voucher.unit
      return [
        ...differs(userId, `orders.discount_amount of ${id}`, due, discountAmount),
        ...differs(userId, `orders.price_currency of ${id}`, voucher.currency, order.priceCurrency),
        ...(usedBy === `order:${id}`
          ? differsInTime(userId, `order_units.used_at for ${id}`, completedAt, usedAt)
          : []),
      ]
    },
  )
}
