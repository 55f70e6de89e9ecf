/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { pointsProblems } from '../../economy/points/problems.ts'
import { eligibilityProblems } from '../eligibility/problems.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { walletProblems } from '../wallets/problems.ts'
import { questProblems } from './problems.ts'

export const thrownBy = {
  claimQuest: [
    questProblems.quest_not_found,
    questProblems.quest_not_completed,
    rewardProblems.already_claimed,
    pointsProblems.insufficient_points,
    eligibilityProblems.collectible_required,
    eligibilityProblems.not_sold_there,
    eligibilityProblems.not_in_segment,
    eligibilityProblems.membership_required,
    eligibilityProblems.age_required,
    walletProblems.chain_unavailable,
    walletProblems.not_a_holder,
    eligibilityProblems.tier_required,
    questProblems.quest_expired,
    pointsProblems.points_limit_reached,
  ],
} as const
