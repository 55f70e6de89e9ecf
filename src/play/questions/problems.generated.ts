/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { catalogueProblems } from '../../club/catalogue/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { eligibilityProblems } from '../eligibility/problems.ts'
import { walletProblems } from '../wallets/problems.ts'
import { questionProblems } from './problems.ts'

export const thrownBy = {
  listQuestions: [transportProblems.invalid_cursor],
  writeVote: [
    questionProblems.question_not_found,
    questionProblems.question_closed,
    eligibilityProblems.age_required,
    eligibilityProblems.collectible_required,
    eligibilityProblems.not_sold_there,
    eligibilityProblems.membership_required,
    pointsProblems.insufficient_points,
    eligibilityProblems.not_in_segment,
    walletProblems.chain_unavailable,
    walletProblems.not_a_holder,
    eligibilityProblems.tier_required,
    questionProblems.already_voted,
  ],
  listVotes: [transportProblems.invalid_cursor],
  writeQuestion: [catalogueProblems.catalogue_conflict, catalogueProblems.revision_conflict],
} as const
