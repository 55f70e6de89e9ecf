/** The receipt of a purchase of the fan, with its credit notes. */
import type { Reader } from '../../../db/index.ts'
import { presentText } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { DomainError } from '../../core/problems.ts'
import { packPurchaseKind } from '../packs/purchase-kind.ts'
import { linesOf, type ReceiptRow, readReceipts, readSeller } from '../purchases/receipts.ts'
import { rateOf } from '../purchases/tax-rate.ts'
import { decryptAddress } from '../shop/addresses.ts'
import { findOrder } from '../shop/order-rows.ts'
import { receiptProblems } from './problems.ts'
import type { Receipt } from './schema.ts'

/** @throws DomainError `receipt_not_found`, also for a purchase of another fan */
export async function readOwnReceipt(
  reader: Reader,
  encryption: Encryption,
  { userId }: Viewer,
  purchaseId: string,
): Promise<Receipt> {
  const order = await findOrder(reader, purchaseId)
  const purchase = order ?? (await packPurchaseKind.find(reader, purchaseId))
  const rows = purchase?.userId === userId ? await readReceipts(reader, purchaseId) : []
  const receipt = presentReceipt(purchaseId, rows, order ? decryptAddress(encryption, order) : null)
  if (!receipt) throw new DomainError(receiptProblems.receipt_not_found)
  return receipt
}

/** `rows`: the receipt of the purchase, then its credit notes. Undefined: there are none. */
export function presentReceipt(
  orderId: string,
  [receipt, ...notes]: ReceiptRow[],
  buyer: Receipt['buyer'],
): Receipt | undefined {
  return (
    receipt && {
      orderId,
      ...presentNumbered(receipt),
      currency: receipt.currency,
      country: receipt.country,
      seller: readSeller(receipt),
      buyer,
      creditNotes: notes.map(presentNumbered),
    }
  )
}

function presentNumbered(row: ReceiptRow) {
  const { number, net, tax, gross, createdAt } = row
  return {
    // Guarantee of the cast: a constraint allows no other series.
    series: row.series as Receipt['series'],
    number,
    issuedAt: createdAt.toISOString(),
    lines: linesOf(row).map(({ name, variant, taxMillionths, ...line }) => ({
      ...line,
      name: presentText(name),
      variant: variant === null ? null : presentText(variant),
      taxRate: rateOf(taxMillionths),
    })),
    net,
    tax,
    gross,
  }
}
