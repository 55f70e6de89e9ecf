/** The receipts of a fan, for the export. */
import type { Reader } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import { exportPurchases } from '../packs/personal-data.ts'
import { readReceipts } from '../purchases/receipts.ts'
import { exportOrders } from '../shop/personal-data.ts'
import { presentReceipt } from './read-receipt.ts'

/** Of orders, then of packs, oldest first, with credit notes. Without the encryption, addresses are left out. */
export async function* exportReceipts(reader: Reader, userId: string, encryption?: Encryption) {
  for await (const { id, address } of exportOrders(reader, userId, encryption)) {
    const receipt = presentReceipt(id, await readReceipts(reader, id), address)
    if (receipt) yield receipt
  }
  for await (const { id } of exportPurchases(reader, userId)) {
    const receipt = presentReceipt(id, await readReceipts(reader, id), null)
    if (receipt) yield receipt
  }
}
