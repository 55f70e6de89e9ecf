/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { rewardProblems } from '../../../play/rewards/problems.ts'

export const thrownBy = {
  lookUpCode: [rewardProblems.redemption_not_found],
  useCode: [
    rewardProblems.redemption_not_found,
    rewardProblems.already_used,
    rewardProblems.voucher_reserved,
  ],
} as const
