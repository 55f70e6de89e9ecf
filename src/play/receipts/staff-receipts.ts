/** The receipts of an order, or of a pack that was bought for money, of any fan as the staff see them. */
import type { Reader } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import { fallbacksOf } from '../../core/language-tags.ts'
import { DomainError } from '../../core/problems.ts'
import { readLocales } from '../../identity/users/locales.ts'
import { packPurchaseKind } from '../packs/purchase-kind.ts'
import { readReceipts } from '../purchases/receipts.ts'
import { decryptAddress } from '../shop/addresses.ts'
import { findOrder } from '../shop/order-rows.ts'
import { shopProblems } from '../shop/problems.ts'
import { printReceipt } from './print-receipt.ts'
import { receiptProblems } from './problems.ts'
import { presentReceipt } from './read-receipt.ts'

/** The receipt, then its credit notes, oldest first. @throws DomainError `order_not_found` */
export async function listReceiptsOf(reader: Reader, orderId: string) {
  await requirePurchase(reader, orderId)
  const rows = await readReceipts(reader, orderId)
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
  const { userId, order } = await requirePurchase(reader, orderId)
  const rows = await readReceipts(reader, orderId)
  const buyer = seesAddress && order ? decryptAddress(encryption, order) : null
  const receipt = presentReceipt(orderId, rows, buyer)
  if (!receipt || !rows.some(row => row.number === number))
    throw new DomainError(receiptProblems.receipt_not_found)
  const locale = (await readLocales(reader, [userId])).get(userId)
  return printReceipt(reader, receipt, fallbacksOf(locale ?? ''), number)
}

/** `order`: undefined for a pack, which has no address. */
async function requirePurchase(reader: Reader, id: string) {
  const order = await findOrder(reader, id)
  const purchase = order ?? (await packPurchaseKind.find(reader, id))
  if (!purchase) throw new DomainError(shopProblems.order_not_found)
  return { userId: purchase.userId, order }
}
