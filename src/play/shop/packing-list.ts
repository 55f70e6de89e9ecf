/** Lines to pack or to ship as CSV, for a spreadsheet or the software of a carrier. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { csvLine } from '../../core/csv.ts'
import type { Encryption } from '../../core/encryption.ts'
import { decryptAddress } from './addresses.ts'

const MAX_LINES = 2_000

const COLUMNS = [
  ...['order', 'paidAt', 'line', 'product', 'variant', 'sku', 'quantity', 'state'],
  ...['name', 'line1', 'line2', 'city', 'region', 'postalCode', 'country', 'phone'],
]

/** The oldest order first, at most 2,000 lines, with a byte order mark for spreadsheets. */
export async function writePackingList(
  reader: Reader,
  encryption: Encryption,
  state: 'none' | 'ready',
): Promise<{ csv: string; lines: number }> {
  const { orders, orderLines: lines, productVariants: variants } = reader.tables
  const rows = await reader
    .select({ order: orders, line: lines, sku: variants.sku })
    .from(lines)
    .innerJoin(orders, eq(orders.id, lines.orderId))
    .leftJoin(variants, and(eq(variants.productId, lines.productId), eq(variants.id, lines.variantId)))
    .where(and(sql`${lines.kind} = 'physical' and ${lines.isSold}`, eq(lines.state, state)))
    .orderBy(asc(lines.orderId), asc(lines.number))
    .limit(MAX_LINES)
  const records = rows.map(({ order, line, sku }) => {
    const address = decryptAddress(encryption, order)
    return [
      ...[order.id, order.completedAt?.toISOString(), line.number],
      ...[line.productId, line.variantId, sku, line.quantity, line.state],
      ...(address
        ? [address.name, address.line1, address.line2, address.city, address.region]
        : [null, null, null, null, null]),
      ...(address ? [address.postalCode, address.country, address.phone] : [null, null, null]),
    ]
  })
  return { csv: `\ufeff${[COLUMNS, ...records].map(csvLine).join('')}`, lines: rows.length }
}
