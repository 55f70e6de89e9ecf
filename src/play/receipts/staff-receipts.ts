/** The receipts of an order of any fan as the staff see them. */
import type { Reader } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import { fallbacksOf } from '../../core/language-tags.ts'
import { DomainError } from '../../core/problems.ts'
import { readLocales } from '../../identity/users/locales.ts'
import { readReceipts } from '../purchases/receipts.ts'
import { decryptAddress } from '../shop/addresses.ts'
import { findOrder, type OrderRow } from '../shop/order-rows.ts'
import { shopProblems } from '../shop/problems.ts'
import { printReceipt } from './print-receipt.ts'
import { receiptProblems } from './problems.ts'
import { presentReceipt } from './read-receipt.ts'

/** The receipt, then its credit notes, oldest first. @throws DomainError `order_not_found` */
export async function listReceiptsOf(reader: Reader, orderId: string) {
  const { id } = await requireOrder(reader, orderId)
  const rows = await readReceipts(reader, id)
  return rows.map(({ number, kind, createdAt, gross, currency }) => ({
    number,
    kind: kind === 'receipt' ? ('receipt' as const) : ('credit_note' as const),
    issuedAt: createdAt.toISOString(),
    gross,
    currency,
  }))
}

/** One of them as a page to print, in the language of the fan. @throws DomainError `order_not_found`, `receipt_not_found` */
export async function printReceiptOf(
  reader: Reader,
  encryption: Encryption,
  { orderId, number }: { orderId: string; number: number },
  seesAddress: boolean,
): Promise<Response> {
  const order = await requireOrder(reader, orderId)
  const rows = await readReceipts(reader, orderId)
  const receipt = presentReceipt(orderId, rows, seesAddress ? decryptAddress(encryption, order) : null)
  if (!receipt || !rows.some(row => row.number === number))
    throw new DomainError(receiptProblems.receipt_not_found)
  const locale = (await readLocales(reader, [order.userId])).get(order.userId)
  return printReceipt(reader, receipt, fallbacksOf(locale ?? ''), number)
}

async function requireOrder(reader: Reader, orderId: string): Promise<OrderRow> {
  const order = await findOrder(reader, orderId)
  if (!order) throw new DomainError(shopProblems.order_not_found)
  return order
}
