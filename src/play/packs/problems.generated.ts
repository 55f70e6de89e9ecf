/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { cashProblems } from '../../economy/cash/problems.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { eligibilityProblems } from '../eligibility/problems.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import { walletProblems } from '../wallets/problems.ts'
import { packProblems } from './problems.ts'

export const thrownBy = {
  readPack: [packProblems.pack_not_found],
  readProof: [packProblems.proof_not_found],
  readProvenance: [packProblems.item_not_found],
  startPurchase: [
    packProblems.pack_not_found,
    packProblems.pack_inactive,
    packProblems.sold_out,
    packProblems.too_many_holds,
    purchaseProblems.paused,
    purchaseProblems.spending_limit_reached,
    pointsProblems.insufficient_points,
    eligibilityProblems.collectible_required,
    eligibilityProblems.not_sold_there,
    eligibilityProblems.not_in_segment,
    eligibilityProblems.membership_required,
    eligibilityProblems.age_required,
    walletProblems.chain_unavailable,
    walletProblems.not_a_holder,
    eligibilityProblems.tier_required,
  ],
  completePurchase: [
    purchaseProblems.purchase_not_found,
    packProblems.purchase_expired,
    packProblems.purchase_not_pending,
    purchaseProblems.payment_not_confirmed,
    purchaseProblems.payment_gateway_unavailable,
    pointsProblems.insufficient_points,
    packProblems.sold_out,
  ],
  listPurchases: [transportProblems.invalid_cursor],
  readPurchase: [purchaseProblems.purchase_not_found],
  cancelPurchase: [purchaseProblems.purchase_not_found, packProblems.purchase_not_pending],
  openPack: [packProblems.user_pack_not_found],
  preparePayment: [
    purchaseProblems.purchase_not_found,
    packProblems.purchase_expired,
    packProblems.purchase_not_pending,
    purchaseProblems.no_payment_needed,
    purchaseProblems.payment_not_confirmed,
    purchaseProblems.payment_gateway_unavailable,
    cashProblems.cash_not_accepted,
    cashProblems.insufficient_cash,
  ],
  listUserPacks: [transportProblems.invalid_cursor],
  readCollection: [transportProblems.invalid_cursor],
} as const
