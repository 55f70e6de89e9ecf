/** Lines to pack or to ship as CSV (RFC 4180), for a spreadsheet or the software of a carrier. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { Encryption } from '../../../core/encryption.ts'
import { decryptAddress } from '../../../play/shop/addresses.ts'

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
      ...[order.id, order.completedAt?.toISOString() ?? '', String(line.number)],
      ...[line.productId, line.variantId, sku ?? '', String(line.quantity), line.state],
      ...(address
        ? [address.name, address.line1, address.line2, address.city, address.region]
        : ['', '', '', '', '']),
      ...(address ? [address.postalCode, address.country, address.phone] : ['', '', '']),
    ]
  })
  const text = [COLUMNS, ...records].map(record => record.map(writeCell).join(',')).join('\r\n')
  return { csv: `\ufeff${text}\r\n`, lines: rows.length }
}

/** A spreadsheet runs what begins like a formula: an apostrophe makes it text. Fans wrote the addresses. */
export function writeCell(value: string | null): string {
  const text = value ?? ''
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
