/** Refunds a purchase of a pack, as every refund of its kind. */
import type { Transaction } from '../../../db/index.ts'
import { packPurchaseKind } from '../../../src/play/packs/purchase-kind.ts'
import { refund } from '../../../src/play/purchases/refund.ts'

export const refundPack = (tx: Transaction, purchaseId: string) => refund(tx, packPurchaseKind, purchaseId)
