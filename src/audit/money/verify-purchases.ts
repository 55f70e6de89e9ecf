/**
 * Compares the purchases of every kind with their payments: entries of points, which nobody can change, payments with money,
 * and held cash.
 */
import { and, type Column, eq, inArray, isNull, min, or, type SQLWrapper, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, differsInTime, type Finding, isSet } from '../../core/finding.ts'
import { packPurchaseKind } from '../../play/packs/purchase-kind.ts'
import { pointsReasonsOf } from '../../play/purchases/kind.ts'
import { isPaidByGateway, needsMoney, POINTS, type Purchase } from '../../play/purchases/purchase.ts'
import { orderKind } from '../../play/shop/order-kind.ts'
import { topUpKind } from '../../play/top-ups/top-up-kind.ts'

type Payment = Tables['payments']['$inferSelect']
type Hold = Tables['cashHolds']['$inferSelect']
type PointsHold = Tables['pointsHolds']['$inferSelect']

const KINDS = [
  { of: 'packPurchases', table: 'pack_purchases', kind: packPurchaseKind },
  { of: 'orders', table: 'orders', kind: orderKind },
  { of: 'topUps', table: 'top_ups', kind: topUpKind },
] as const

type Kind = (typeof KINDS)[number]

const PAID = ['completed', 'refund_due', 'refunded']

export async function findWrongPurchases(reader: Reader, range: Range): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const kind of KINDS) {
    if (kind.kind.reasons) findings.push(...(await findWrongPoints(reader, range, kind)))
    findings.push(...(await findWrongMoney(reader, range, kind)))
  }
  return [...findings, ...(await findHoldsOfNothing(reader, range))]
}

/** One statement, and so one snapshot: a purchase, its hold and its entries are written together. */
async function findWrongPoints(reader: Reader, range: Range, { of, table, kind }: Kind): Promise<Finding[]> {
  const { pointsEntries: entries, pointsHolds: holds, [of]: purchases, users } = reader.tables
  const reasons = pointsReasonsOf(kind)
  // A merge moves purchases but not their entries.
  const records = reader
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, purchases.userId), eq(users.mergedIntoId, purchases.userId)))
  const { orderRefunds } = reader.tables
  // Found by ref: with one condition for both kinds, SQLite and PostgreSQL read all entries of the fan for each order.
  const bookedFor = (reason: string) => {
    const entriesOf = (id: Column) =>
      sumOf(
        reader
          .select({ delta: sql`sum(${entries.delta})` })
          .from(entries)
          .where(and(eq(entries.ref, id), inArray(entries.userId, records), eq(entries.reason, reason))),
      )
    if (kind.name !== 'order') return entriesOf(purchases.id)
    const ofParts = sumOf(
      reader
        .select({ delta: sql`sum(${entriesOf(orderRefunds.id)})` })
        .from(orderRefunds)
        .where(eq(orderRefunds.orderId, purchases.id)),
    )
    return sql<number>`${entriesOf(purchases.id)} + ${ofParts}`.mapWith(Number)
  }
  const rows = await reader
    .select({
      id: purchases.id,
      userId: purchases.userId,
      status: purchases.status,
      amount: purchases.priceAmount,
      currency: purchases.priceCurrency,
      part: 'refundedAmount' in purchases ? purchases.refundedAmount : sql<number>`0`.mapWith(Number),
      expiresAt: purchases.expiresAt,
      hold: holds,
      paid: bookedFor(reasons.paid),
      refunded: bookedFor(reasons.refunded),
    })
    .from(purchases)
    .leftJoin(holds, eq(holds.purchaseId, purchases.id))
    .where(inRange(purchases.userId, range))
  return rows.flatMap(({ id, userId, status, amount, currency, part, expiresAt, hold, paid, refunded }) => {
    const isSold = currency === POINTS && (status === 'completed' || status === 'refunded')
    const due = {
      paid: isSold ? 0 - amount : 0,
      refunded: isSold ? (status === 'refunded' ? amount : part) : 0,
    }
    const what = (reason: string) => `${table}.status and price_amount of ${id} by ${reason}`
    return [
      ...differs(userId, what(reasons.paid), paid, due.paid),
      ...differs(userId, what(reasons.refunded), refunded, due.refunded),
      ...pointsHoldFindings({ id, userId, status, amount, currency, expiresAt }, hold, reader.now()),
    ]
  })
}

const sumOf = (query: SQLWrapper) => sql<number>`coalesce((${query}), 0)`.mapWith(Number)

/** A purchase holds its points while it is pending. The hold of an expired one is deleted later. */
function pointsHoldFindings(
  purchase: { id: string; userId: string; status: string; amount: number; currency: string; expiresAt: Date },
  hold: PointsHold | null,
  now: Date,
): Finding[] {
  const { id, userId, status, amount, currency, expiresAt } = purchase
  const isPending = status === 'pending' && currency === POINTS && amount > 0
  if (isPending && !hold && expiresAt <= now) return []
  const found = (column: string, expected: Date | string | number, actual: Date | string | number | null) =>
    differs(userId, `points_holds.${column} of ${id}`, isPending ? expected : null, actual)
  return [
    ...found('amount', amount, hold?.amount ?? null),
    ...(hold ? found('user_id', userId, hold.userId) : []),
    ...(hold ? found('expires_at', expiresAt, hold.expiresAt) : []),
  ]
}

/** One statement, and so one snapshot: a purchase, its payment and its hold are written together. */
async function findWrongMoney(reader: Reader, range: Range, { of, table, kind }: Kind): Promise<Finding[]> {
  const { payments, cashHolds: holds, [of]: purchases } = reader.tables
  // Purchases of packs are older than the table of payments.
  const since = reader.select({ at: min(payments.createdAt) }).from(payments)
  const rows = await reader
    .select({
      purchase: purchases,
      payment: payments,
      hold: holds,
      isOld: sql<number>`case when ${purchases.createdAt} >= (${since}) then 0 else 1 end`.mapWith(Number),
    })
    .from(purchases)
    .leftJoin(payments, eq(payments.purchaseId, purchases.id))
    .leftJoin(holds, eq(holds.purchaseId, purchases.id))
    .where(inRange(purchases.userId, range))
  return rows.flatMap(({ purchase, payment, hold, isOld }) => {
    const isPaid = PAID.includes(purchase.status) && isPaidByGateway(purchase)
    const isKept = isPaid && !(payment === null && kind.name === 'pack' && isOld === 1)
    return [
      ...stateFindings(purchase, table),
      ...paymentFindings(purchase, isKept, payment, kind.name),
      ...holdFindings(purchase, hold),
    ]
  })
}

/** Checks the other columns of a purchase against its status. */
function stateFindings(purchase: Purchase, table: string): Finding[] {
  const { id, userId, status, completedAt, refundedAt, paymentReference } = purchase
  const found = (column: string, isDue: boolean, value: Date | string | null) =>
    differs(userId, `${table}.${column} of ${id}`, isDue ? 'set' : null, isSet(value))
  const isPaid = PAID.includes(status)
  return [
    // A purchase that was paid too late was never completed.
    ...(isPaid && status !== 'completed' ? [] : found('completed_at', isPaid, completedAt)),
    ...found('refunded_at', status === 'refunded', refundedAt),
    ...(isPaid && needsMoney(purchase) ? [] : found('payment_reference', false, paymentReference)),
  ]
}

function paymentFindings(
  { id, userId, status, priceAmount, priceCurrency, paymentReference, completedAt, refundedAt }: Purchase,
  isPaid: boolean,
  payment: Payment | null,
  kind: string,
): Finding[] {
  const nameOf = (column: string) => `payments.${column} of ${id}`
  const missing = differs(userId, nameOf('amount'), isPaid ? priceAmount : null, payment?.amount ?? null)
  if (payment === null) return missing
  return [
    ...missing,
    ...differs(userId, nameOf('kind'), kind, payment.kind),
    ...differs(userId, nameOf('currency'), priceCurrency, payment.currency),
    ...differs(userId, nameOf('reference'), paymentReference, payment.reference),
    ...(completedAt ? differsInTime(userId, nameOf('created_at'), completedAt, payment.createdAt) : []),
    ...differs(
      userId,
      nameOf('refunded_at'),
      isPaid && status === 'refunded' ? refundedAt : null,
      payment.refundedAt,
    ),
  ]
}

function holdFindings(purchase: Purchase, hold: Hold | null): Finding[] {
  const { id, userId, priceAmount, priceCurrency, expiresAt } = purchase
  const nameOf = (column: string) => `cash_holds.${column} of ${id}`
  const states = statesOf(purchase)
  const state = hold?.state ?? null
  const wrong = states.includes(state) ? [] : differs(userId, nameOf('state'), states[0] ?? null, state)
  if (!hold) return wrong
  return [
    ...wrong,
    ...differs(userId, nameOf('user_id'), userId, hold.userId),
    ...differs(userId, nameOf('amount'), priceAmount, hold.amount),
    ...differs(userId, nameOf('currency'), priceCurrency, hold.currency),
    ...differs(userId, nameOf('expires_at'), expiresAt, hold.expiresAt),
  ]
}

/** The allowed states of the hold; findings name the first one. Null: no hold. */
function statesOf(purchase: Purchase): (string | null)[] {
  if (!needsMoney(purchase)) return [null]
  if (isPaidByGateway(purchase)) return [null, 'released']
  // A purchase that was cancelled at the same time leaves a hold that ends with its time.
  if (!PAID.includes(purchase.status)) return [null, 'held', 'released']
  return [purchase.status === 'refunded' ? 'refunded' : 'captured']
}

async function findHoldsOfNothing(reader: Reader, range: Range): Promise<Finding[]> {
  const { packPurchases, orders, cashHolds, pointsHolds } = reader.tables
  const found: Finding[] = []
  for (const { table, holds, shown } of [
    { table: 'cash_holds', holds: cashHolds, shown: cashHolds.state },
    { table: 'points_holds', holds: pointsHolds, shown: pointsHolds.amount },
  ]) {
    const rows = await reader
      .select({ id: holds.purchaseId, userId: holds.userId, shown })
      .from(holds)
      .leftJoin(packPurchases, eq(packPurchases.id, holds.purchaseId))
      .leftJoin(orders, eq(orders.id, holds.purchaseId))
      .where(and(inRange(holds.userId, range), isNull(packPurchases.id), isNull(orders.id)))
    for (const { id, userId, shown } of rows)
      found.push(...differs(userId, `${table}.purchase_id of ${id}`, null, shown))
  }
  return found
}

/** Finds payments whose purchase does not exist. */
export async function findPaymentsOfNothing(reader: Reader): Promise<Finding[]> {
  const { payments, packPurchases, orders, topUps } = reader.tables
  const { purchaseId, amount } = payments
  const rows = await reader
    .select({ purchaseId, amount })
    .from(payments)
    .leftJoin(packPurchases, eq(packPurchases.id, purchaseId))
    .leftJoin(orders, eq(orders.id, purchaseId))
    .leftJoin(topUps, eq(topUps.id, purchaseId))
    .where(and(isNull(packPurchases.id), isNull(orders.id), isNull(topUps.id)))
  return rows.flatMap(({ purchaseId, amount }) =>
    differs(null, `payments.purchase_id of ${purchaseId}`, null, amount),
  )
}
