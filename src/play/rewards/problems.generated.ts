/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { eligibilityProblems } from '../eligibility/problems.ts'
import { walletProblems } from '../wallets/problems.ts'
import { rewardProblems } from './problems.ts'

export const thrownBy = {
  lookUpRedemption: [rewardProblems.redemption_not_found],
  useRedemption: [
    rewardProblems.redemption_not_found,
    rewardProblems.already_used,
    rewardProblems.voucher_reserved,
  ],
  claimReward: [
    rewardProblems.reward_not_found,
    rewardProblems.reward_inactive,
    pointsProblems.insufficient_points,
    rewardProblems.already_claimed,
    eligibilityProblems.collectible_required,
    eligibilityProblems.not_sold_there,
    eligibilityProblems.not_in_segment,
    eligibilityProblems.membership_required,
    eligibilityProblems.age_required,
    walletProblems.not_a_holder,
    eligibilityProblems.tier_required,
    walletProblems.chain_unavailable,
    rewardProblems.out_of_stock,
  ],
  redeemReward: [
    rewardProblems.reward_not_found,
    rewardProblems.not_claimed,
    rewardProblems.already_redeemed,
  ],
  listOwnRewards: [transportProblems.invalid_cursor],
} as const
