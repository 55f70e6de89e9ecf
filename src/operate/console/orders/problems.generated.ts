/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../../core/transport-problems.ts'
import { pointsProblems } from '../../../economy/points/problems.ts'
import { purchaseProblems } from '../../../play/purchases/problems.ts'
import { receiptProblems } from '../../../play/receipts/problems.ts'
import { shopProblems } from '../../../play/shop/problems.ts'

export const thrownBy = {
  listConsoleOrders: [transportProblems.invalid_cursor],
  readConsoleOrder: [shopProblems.order_not_found],
  listConsoleReceipts: [shopProblems.order_not_found],
  printConsoleReceipt: [shopProblems.order_not_found, receiptProblems.receipt_not_found],
  changeConsoleOrderLine: [
    shopProblems.order_not_found,
    shopProblems.line_state_not_allowed,
    purchaseProblems.not_refundable,
  ],
  refundPurchase: [
    purchaseProblems.purchase_not_found,
    purchaseProblems.not_refundable,
    pointsProblems.points_limit_reached,
    purchaseProblems.payment_gateway_unavailable,
  ],
} as const
