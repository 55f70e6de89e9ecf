/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { cashProblems } from '../../economy/cash/problems.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import { topUpProblems } from './problems.ts'

export const thrownBy = {
  startTopUp: [
    cashProblems.cash_not_accepted,
    purchaseProblems.paused,
    purchaseProblems.spending_limit_reached,
  ],
  completeTopUp: [
    topUpProblems.top_up_not_found,
    topUpProblems.top_up_expired,
    purchaseProblems.payment_not_confirmed,
    purchaseProblems.payment_gateway_unavailable,
  ],
  prepareTopUpPayment: [
    topUpProblems.top_up_not_found,
    topUpProblems.top_up_expired,
    purchaseProblems.no_payment_needed,
    purchaseProblems.payment_not_confirmed,
    purchaseProblems.payment_gateway_unavailable,
  ],
  listTopUps: [transportProblems.invalid_cursor],
  readTopUp: [topUpProblems.top_up_not_found],
  listCashEntries: [transportProblems.invalid_cursor],
} as const
