/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { pointsProblems } from '../../economy/points/problems.ts'
import { eligibilityProblems } from '../eligibility/problems.ts'
import { packProblems } from '../packs/problems.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { walletProblems } from '../wallets/problems.ts'
import { codeProblems } from './problems.ts'

export const thrownBy = {
  redeemCode: [
    codeProblems.code_not_found,
    codeProblems.campaign_over,
    rewardProblems.already_redeemed,
    codeProblems.code_used,
    pointsProblems.insufficient_points,
    eligibilityProblems.collectible_required,
    eligibilityProblems.membership_required,
    eligibilityProblems.age_required,
    eligibilityProblems.not_sold_there,
    eligibilityProblems.not_in_segment,
    walletProblems.chain_unavailable,
    walletProblems.not_a_holder,
    eligibilityProblems.tier_required,
    rewardProblems.limit_reached,
    pointsProblems.points_limit_reached,
    rewardProblems.already_claimed,
    rewardProblems.out_of_stock,
    packProblems.sold_out,
  ],
} as const
