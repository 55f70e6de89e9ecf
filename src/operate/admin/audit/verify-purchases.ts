/** Compares purchases and orders that are paid with points with the ledger, whose entries no one can change. */
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { packPurchaseKind } from '../../../play/packs/purchase-kind.ts'
import { pointsReasonsOf } from '../../../play/purchases/kind.ts'
import { POINTS } from '../../../play/purchases/purchase.ts'
import { orderKind } from '../../../play/shop/order-kind.ts'
import type { Finding } from './audit-fan.ts'
import { inRange, type Range } from './stored-fans.ts'

const KINDS = [
  { of: 'packPurchases', table: 'pack_purchases', reasons: pointsReasonsOf(packPurchaseKind) },
  { of: 'orders', table: 'orders', reasons: pointsReasonsOf(orderKind) },
] as const

export async function findWrongPurchases(reader: Reader, range: Range): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const kind of KINDS) findings.push(...(await findWrongOfKind(reader, range, kind)))
  return findings
}

/** One statement, and so one snapshot: a purchase and its entries are written together. */
async function findWrongOfKind(
  reader: Reader,
  range: Range,
  { of, table, reasons }: (typeof KINDS)[number],
): Promise<Finding[]> {
  const { pointsEntries: entries, [of]: purchases } = reader.tables
  const { users } = reader.tables
  // A purchase of a fan who was merged has moved, and its entries have not.
  const records = reader
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, purchases.userId), eq(users.mergedIntoId, purchases.userId)))
  const bookedFor = (reason: string) =>
    sql<number>`coalesce((${reader
      .select({ delta: sql`sum(${entries.delta})` })
      .from(entries)
      .where(
        and(inArray(entries.userId, records), eq(entries.reason, reason), eq(entries.ref, purchases.id)),
      )}), 0)`.mapWith(Number)
  const rows = await reader
    .select({
      id: purchases.id,
      userId: purchases.userId,
      status: purchases.status,
      amount: purchases.priceAmount,
      currency: purchases.priceCurrency,
      paid: bookedFor(reasons.paid),
      refunded: bookedFor(reasons.refunded),
    })
    .from(purchases)
    .where(inRange(purchases.userId, range))
  return rows.flatMap(({ id, userId, status, amount, currency, paid, refunded }) => {
    const isSold = currency === POINTS && (status === 'completed' || status === 'refunded')
    const due = { paid: isSold ? 0 - amount : 0, refunded: isSold && status === 'refunded' ? amount : 0 }
    const found = (reason: string, expected: number, actual: number): Finding[] =>
      expected === actual
        ? []
        : [
            {
              userId,
              what: `${table}.status and price_amount of ${id} by ${reason}`,
              expected: actual,
              actual: expected,
            },
          ]
    return [...found(reasons.paid, due.paid, paid), ...found(reasons.refunded, due.refunded, refunded)]
  })
}
