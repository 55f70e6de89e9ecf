/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { receiptProblems } from './problems.ts'

export const thrownBy = {
  readReceipt: [receiptProblems.receipt_not_found],
} as const
