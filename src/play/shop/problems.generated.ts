/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { cashProblems } from '../../economy/cash/problems.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { eligibilityProblems } from '../eligibility/problems.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { walletProblems } from '../wallets/problems.ts'
import { shopProblems } from './problems.ts'

export const thrownBy = {
  startCheckout: [
    shopProblems.product_not_found,
    shopProblems.product_inactive,
    shopProblems.mixed_currencies,
    eligibilityProblems.collectible_required,
    eligibilityProblems.not_sold_there,
    eligibilityProblems.not_in_segment,
    eligibilityProblems.membership_required,
    eligibilityProblems.age_required,
    walletProblems.not_a_holder,
    eligibilityProblems.tier_required,
    walletProblems.chain_unavailable,
    pointsProblems.insufficient_points,
    rewardProblems.out_of_stock,
    rewardProblems.limit_reached,
    shopProblems.too_many_open_orders,
    shopProblems.voucher_not_accepted,
    shopProblems.address_required,
    shopProblems.not_shipped_there,
    purchaseProblems.paused,
    purchaseProblems.spending_limit_reached,
    transportProblems.idempotency_response_lost,
  ],
  completeCheckout: [
    shopProblems.order_not_found,
    shopProblems.order_expired,
    shopProblems.order_not_pending,
    purchaseProblems.payment_not_confirmed,
    purchaseProblems.payment_gateway_unavailable,
    rewardProblems.out_of_stock,
    shopProblems.voucher_not_accepted,
    shopProblems.product_inactive,
    pointsProblems.insufficient_points,
    transportProblems.idempotency_response_lost,
  ],
  cancelCheckout: [
    shopProblems.order_not_found,
    shopProblems.order_not_pending,
    transportProblems.idempotency_response_lost,
  ],
  prepareOrderPayment: [
    shopProblems.order_not_found,
    shopProblems.order_expired,
    shopProblems.order_not_pending,
    shopProblems.payment_method_not_accepted,
    purchaseProblems.no_payment_needed,
    purchaseProblems.payment_not_confirmed,
    purchaseProblems.payment_gateway_unavailable,
    cashProblems.cash_not_accepted,
    cashProblems.insufficient_cash,
  ],
  listOrders: [transportProblems.invalid_cursor],
  readOrder: [shopProblems.order_not_found],
  withdrawOrder: [
    transportProblems.idempotency_response_lost,
    shopProblems.order_not_found,
    purchaseProblems.not_refundable,
    shopProblems.withdrawal_over,
    shopProblems.withdrawal_waived,
    rewardProblems.already_used,
  ],
  issueDownload: [shopProblems.order_not_found, shopProblems.no_download],
  readFanOrder: [shopProblems.order_not_found],
  changeOrderLine: [
    shopProblems.order_not_found,
    shopProblems.line_state_not_allowed,
    purchaseProblems.not_refundable,
  ],
  listProducts: [transportProblems.invalid_cursor],
  readProduct: [shopProblems.product_not_found],
} as const
