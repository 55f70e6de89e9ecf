/** Compares receipts and credit notes with what was paid and refunded, and the series with their numbers. */
import { and, asc, count, eq, isNotNull, isNull, max, min, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'
import { needsMoney, POINTS, type Purchase } from '../../play/purchases/purchase.ts'
import { linesOf, type ReceiptRow } from '../../play/purchases/receipts.ts'
import { taxIn } from '../../play/purchases/tax-rate.ts'

const KINDS = [
  { of: 'orders', kind: 'order' },
  { of: 'packPurchases', kind: 'pack' },
] as const

type Sold = Purchase & { taxCountry: string | null; taxMillionths?: number | null }

/** The purchases of these fans that were paid. */
export async function findWrongReceipts(reader: Reader, range: Range): Promise<Finding[]> {
  const { receipts } = reader.tables
  const [started, parts] = [await readStarts(reader), await readParts(reader, range)]
  const findings: Finding[] = []
  for (const { of, kind } of KINDS) {
    const purchases = reader.tables[of]
    const rows = await reader
      .select({ purchase: purchases, receipt: receipts })
      .from(purchases)
      .leftJoin(receipts, eq(receipts.purchaseId, purchases.id))
      .where(and(inRange(purchases.userId, range), isNotNull(purchases.completedAt)))
      .orderBy(asc(purchases.id), asc(receipts.number))
    for (const own of Map.groupBy(rows, ({ purchase }) => purchase.id).values()) {
      const given = own.flatMap(({ receipt }) => receipt ?? [])
      for (const { purchase } of own.slice(0, 1))
        findings.push(...findingsOf(purchase, given, { kind, started, parts }))
    }
  }
  return [...findings, ...(await findWrongBilled(reader, range))]
}

/** When each series began. */
async function readStarts(reader: Reader): Promise<Map<string, Date>> {
  const rows = await reader.select().from(reader.tables.receiptSeries)
  return new Map(rows.map(({ id, startedAt }) => [id, startedAt]))
}

/** The refunds of parts, by id. */
async function readParts(reader: Reader, range: Range) {
  const { orders, orderRefunds } = reader.tables
  const rows = await reader
    .select({ id: orderRefunds.id, amount: orderRefunds.amount, createdAt: orderRefunds.createdAt })
    .from(orderRefunds)
    .innerJoin(orders, eq(orders.id, orderRefunds.orderId))
    .where(inRange(orders.userId, range))
  return new Map(rows.map(({ id, ...part }) => [id, part]))
}

interface Known {
  kind: 'order' | 'pack'
  started: Map<string, Date>
  parts: Map<string, { amount: number; createdAt: Date }>
}

function findingsOf(purchase: Sold, given: ReceiptRow[], { kind, started, parts }: Known): Finding[] {
  const { id, userId, status, priceAmount, refundedAmount = 0, completedAt, refundedAt } = purchase
  const isPoints = purchase.priceCurrency === POINTS
  const [receipt, ...notes] = given
  const found = (column: string, expected: string | number | null, actual: string | number | null) =>
    differs(userId, `receipts.${column} of ${id}`, expected, actual)
  const since = started.get(isPoints ? 'points' : 'money')
  const isDue = kind === 'order' || needsMoney(purchase)
  if (!receipt || !isDue) {
    const isMissing = isDue && since !== undefined && completedAt !== null && completedAt >= since
    return found('row', isMissing ? 'receipt' : null, receipt ? receipt.kind : null)
  }
  const refunded = status === 'refunded' ? priceAmount : refundedAmount
  const credited = (name: 'net' | 'tax' | 'gross') => notes.reduce((sum, note) => sum + note[name], 0)
  return [
    ...found('kind', 'receipt', receipt.kind),
    ...found('ref', id, receipt.ref),
    ...found('gross', priceAmount, receipt.gross),
    ...differsInTime(userId, `receipts.created_at of ${id}`, completedAt, receipt.createdAt),
    ...('taxMillionths' in purchase
      ? found('lines, rate', purchase.taxMillionths ?? null, linesOf(receipt)[0]?.taxMillionths ?? null)
      : []),
    ...found('gross by credit notes', refunded, credited('gross')),
    ...found('tax by credit notes', Math.min(credited('tax'), receipt.tax), credited('tax')),
    ...found('net by credit notes', Math.min(credited('net'), receipt.net), credited('net')),
    ...given.flatMap(row => [
      ...found('currency', purchase.priceCurrency, row.currency),
      ...found('country', isPoints ? null : purchase.taxCountry, row.country),
      ...found('purchase_kind', kind, row.purchaseKind),
      ...sumFindings(userId, row),
    ]),
    ...notes.flatMap(note => {
      const part = parts.get(note.ref)
      return [
        ...found('kind', 'credit_note', note.kind),
        ...(part ? found('gross of a part', part.amount, note.gross) : found('ref', id, note.ref)),
        ...differsInTime(
          userId,
          `receipts.created_at of ${note.ref}`,
          part?.createdAt ?? refundedAt,
          note.createdAt,
        ),
      ]
    }),
  ]
}

/** Totals are sums of the lines, and the tax of a receipt is that of its rate. */
function sumFindings(userId: string, row: ReceiptRow): Finding[] {
  const what = (column: string) => `receipts.${column} of ${row.series} ${row.number}`
  const lines = linesOf(row)
  const sum = (name: 'net' | 'tax' | 'gross') => lines.reduce((total, line) => total + line[name], 0)
  return [
    ...(['net', 'tax', 'gross'] as const).flatMap(name => differs(userId, what(name), sum(name), row[name])),
    ...lines.flatMap(({ number, taxMillionths, net, tax, gross }) => [
      ...differs(userId, what(`lines, net of ${number}`), gross - tax, net),
      ...(row.kind === 'receipt'
        ? differs(userId, what(`lines, tax of ${number}`), taxIn(gross, taxMillionths), tax)
        : []),
    ]),
  ]
}

/** Lines of receipts have the quantities and rates of the lines of their orders. */
async function findWrongBilled(reader: Reader, range: Range): Promise<Finding[]> {
  const { orders, orderLines, receipts } = reader.tables
  const rows = await reader
    .select({ userId: orders.userId, line: orderLines, receipt: receipts })
    .from(receipts)
    .innerJoin(orders, eq(orders.id, receipts.purchaseId))
    .innerJoin(orderLines, eq(orderLines.orderId, orders.id))
    .where(and(inRange(orders.userId, range), eq(receipts.kind, 'receipt')))
  return rows.flatMap(({ userId, line, receipt }) => {
    const name = `receipts.lines of ${line.orderId} ${line.number}`
    const billed = linesOf(receipt).find(({ number }) => number === line.number)
    const rate = receipt.series === 'points' ? null : line.taxMillionths
    return [
      ...differs(userId, `${name}, quantity`, line.quantity, billed?.quantity ?? null),
      ...differs(userId, `${name}, rate`, rate, billed?.taxMillionths ?? null),
    ]
  })
}

/** Numbers of a series begin with 1, have no gap, and end with the last one that was given. */
export async function findWrongSeries(reader: Reader): Promise<Finding[]> {
  const { receipts, receiptSeries: series, orders, packPurchases } = reader.tables
  const given = await reader
    .select({
      id: receipts.series,
      rows: count(),
      first: min(receipts.number),
      last: max(receipts.number),
      startedAt: sql`min(case when ${receipts.number} = 1 then ${receipts.createdAt} end)`.mapWith(
        receipts.createdAt,
      ),
    })
    .from(receipts)
    .groupBy(receipts.series)
  const heads = new Map((await reader.select().from(series)).map(row => [row.id, row]))
  const names = [...new Set([...heads.keys(), ...given.map(({ id }) => id)])].toSorted()
  const gaps = names.flatMap(id => {
    const [head, own] = [heads.get(id), given.find(row => row.id === id)]
    return [
      ...differs(null, `receipt_series.last of ${id}`, own?.last ?? null, head?.last ?? null),
      ...differs(null, `receipt_series.started_at of ${id}`, own?.startedAt ?? null, head?.startedAt ?? null),
      ...differs(null, `receipts.number of ${id}, the first`, own ? 1 : null, own?.first ?? null),
      ...differs(null, `receipts.row of ${id}, the number of rows`, own?.last ?? 0, own?.rows ?? 0),
    ]
  })
  const strays = await reader
    .select({ number: receipts.number, series: receipts.series, purchaseId: receipts.purchaseId })
    .from(receipts)
    .leftJoin(orders, eq(orders.id, receipts.purchaseId))
    .leftJoin(packPurchases, eq(packPurchases.id, receipts.purchaseId))
    .where(and(isNull(orders.completedAt), isNull(packPurchases.completedAt)))
  return [
    ...gaps,
    ...strays.flatMap(({ series, number, purchaseId }) =>
      differs(null, `receipts.purchase_id of ${series} ${number}`, null, purchaseId),
    ),
  ]
}
