/** Invariants of the stock and the orders of the shop. Each is checked by one statement, and so in one snapshot. */
import {
  aliasedTable,
  and,
  asc,
  eq,
  gt,
  isNotNull,
  isNull,
  like,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Reader, Tables } from '../../../../db/index.ts'
import { isListed, toList } from '../../../../db/listed.ts'
import type { Delivers } from '../../../play/shop/delivers.ts'
import { differs, differsInTime, type Finding, readJson } from './finding.ts'
import { inRange, type Range } from './stored-fans.ts'

export async function findWrongOrders(reader: Reader): Promise<Finding[]> {
  const found = [
    await findWrongStock(reader),
    await findWrongTotals(reader),
    await findWrongLines(reader),
    await findWrongVouchers(reader),
    await findWrongDiscounts(reader),
  ]
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

/**
 * A voucher must have exactly one state: used, by the paid order that it reduced or at a desk; otherwise void, if its own
 * order is no longer paid or its fan is erased; otherwise valid.
 */
async function findWrongVouchers(reader: Reader): Promise<Finding[]> {
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
  const { orders, orderUnits: units, users } = reader.tables
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

/** A discount must equal the credit of the voucher, limited to the price of the lines. */
async function findWrongDiscounts(reader: Reader): Promise<Finding[]> {
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

/** Checks the delivered units of order lines, by kind, for the fans of the orders. Needs a snapshot. */
export async function findWrongDeliveries(reader: Reader, range: Range): Promise<Finding[]> {
  const {
    orders,
    orderLines: lines,
    orderUnits: units,
    packPurchases,
    userItems: items,
    users,
  } = reader.tables
  const rows = await reader
    .select({ order: orders, line: lines })
    .from(orders)
    .innerJoin(lines, eq(lines.orderId, orders.id))
    .where(inRange(orders.userId, range))
  const delivered = await reader
    .select({ unit: units, purchase: packPurchases })
    .from(orders)
    .innerJoin(units, eq(units.orderId, orders.id))
    .leftJoin(packPurchases, eq(packPurchases.id, units.packPurchaseId))
    .where(inRange(orders.userId, range))
    .orderBy(asc(units.unit))
  // The order of a merged fan has moved, but the items that it gave stay with the merged record.
  const given = await reader
    .select({ givenFor: items.givenFor, collectibleId: items.collectibleId })
    .from(users)
    .innerJoin(items, eq(items.userId, users.id))
    .where(
      and(
        like(items.givenFor, 'order:%'),
        or(and(inRange(users.id, range), isNull(users.mergedIntoId)), inRange(users.mergedIntoId, range)),
      ),
    )
  const unitsOf = Map.groupBy(delivered, ({ unit }) => `${unit.orderId} ${unit.line}`)
  const itemOf = new Map(given.map(({ givenFor, collectibleId }) => [givenFor, collectibleId]))
  const findings: Finding[] = []
  for (const { order, line } of rows) {
    const name = `${line.orderId} ${line.number}`
    findings.push(...lineFindings(order, line, unitsOf.get(name) ?? []), ...itemFindings(order, line, itemOf))
    unitsOf.delete(name)
  }
  const purchases = delivered.flatMap(({ unit }) => unit.packPurchaseId ?? [])
  for (const twice of findTwice(purchases))
    findings.push(...differs(null, `order_units.pack_purchase_id of ${twice}`, 1, 2))
  for (const [name, rest] of unitsOf)
    findings.push(...differs(null, `order_units.row of ${name}`, 0, rest.length))
  for (const [name, collectibleId] of itemOf)
    findings.push(...differs(null, `user_items.given_for of ${name}`, null, collectibleId))
  return findings
}

type Order = Tables['orders']['$inferSelect']
type Line = Tables['orderLines']['$inferSelect']
interface Delivered {
  unit: Tables['orderUnits']['$inferSelect']
  purchase: Tables['packPurchases']['$inferSelect'] | null
}

/** The members of `delivers` for each kind, of which one must be present. */
const GIVES: Record<string, readonly (keyof Delivers)[]> = {
  physical: [],
  voucher: [],
  pack: ['packId'],
  digital: ['collectibleId', 'file'],
}

function lineFindings(order: Order, line: Line, delivered: Delivered[]): Finding[] {
  const { userId, status, completedAt, expiresAt } = order
  const { kind, state, quantity, holdUntil, isSold } = line
  const nameOf = (column: string) => `order_lines.${column} of ${line.orderId} ${line.number}`
  const delivers = deliversOf(line.delivers)
  const isPhysical = kind === 'physical'
  const hasUnits = completedAt !== null && (kind === 'voucher' || kind === 'pack')
  const states = !completedAt
    ? ['none']
    : isPhysical
      ? ['none', 'ready', 'shipped', 'delivered', 'returned']
      : ['delivered', 'returned']
  const gives = GIVES[kind]
  const isOfKind = gives?.length
    ? gives.some(name => name in delivers)
    : !Object.values(GIVES)
        .flat()
        .some(name => name in delivers)
  const isSent = isPhysical && (state === 'shipped' || state === 'delivered')
  const mayBeSent = isSent || (isPhysical && state === 'returned')
  return [
    ...(states.includes(state) ? [] : differs(userId, nameOf('state'), states[0] ?? '', state)),
    ...(isOfKind && gives ? [] : differs(userId, nameOf('kind'), `a kind that gives ${line.delivers}`, kind)),
    ...(isPhysical && line.delivers !== null ? differs(userId, nameOf('delivers'), null, line.delivers) : []),
    ...(status === 'pending' ? differs(userId, nameOf('hold_until'), expiresAt, holdUntil) : []),
    ...(isSent ? differs(userId, nameOf('is_sold'), true, isSold) : []),
    ...(mayBeSent
      ? []
      : [
          ...differs(userId, nameOf('carrier'), null, line.carrier),
          ...differs(userId, nameOf('tracking'), null, line.tracking),
        ]),
    ...differs(
      userId,
      `order_units.unit of ${line.orderId} ${line.number}`,
      JSON.stringify(hasUnits ? Array.from({ length: quantity }, (_, index) => index + 1) : []),
      JSON.stringify(delivered.map(({ unit }) => unit.unit)),
    ),
    ...delivered.flatMap(({ unit, purchase }) => {
      const what = (column: string) => `order_units.${column} of ${unit.orderId} ${unit.line} ${unit.unit}`
      if (kind !== 'pack') return differs(userId, what('pack_purchase_id'), null, unit.packPurchaseId)
      return [
        ...differs(userId, what('voided_at'), null, unit.voidedAt),
        ...differs(userId, what('pack_purchase_id'), delivers.packId ?? null, purchase?.packId ?? null),
        ...differs(userId, what('pack_purchase_id'), userId, purchase?.userId ?? null),
        ...differs(userId, what('pack_purchase_id'), 0, purchase?.priceAmount ?? null),
        ...differsInTime(userId, what('pack_purchase_id'), completedAt, purchase?.completedAt ?? null),
      ]
    }),
  ]
}

/** Guarantee of the cast: an import writes it. */
const deliversOf = (text: string | null) => Object(readJson(text)) as Delivers

/** Checks the items of the line, and removes them from `itemOf`. */
function itemFindings(
  { userId, completedAt }: Order,
  line: Line,
  itemOf: Map<string | null, string>,
): Finding[] {
  const { collectibleId } = deliversOf(line.delivers)
  if (collectibleId === undefined || completedAt === null) return []
  return Array.from(
    { length: line.quantity },
    (_, index) => `order:${line.orderId}:${line.number}:${index + 1}`,
  ).flatMap(name => {
    const item = itemOf.get(name) ?? null
    itemOf.delete(name)
    return differs(userId, `user_items.given_for of ${name}`, collectibleId, item)
  })
}

function findTwice(ids: string[]): string[] {
  const seen = new Set<string>()
  return ids.filter(id => seen.has(id) || !seen.add(id))
}
