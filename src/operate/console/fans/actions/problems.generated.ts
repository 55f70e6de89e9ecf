/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { teamProblems } from '../../../../club/teams/problems.ts'
import { accountProblems } from '../../../../economy/accounts/problems.ts'
import { cashProblems } from '../../../../economy/cash/problems.ts'
import { eventProblems } from '../../../../economy/events/problems.ts'
import { pointsProblems } from '../../../../economy/points/problems.ts'
import { consentProblems } from '../../../../fan/consents/problems.ts'
import { profileProblems } from '../../../../fan/profile/problems.ts'
import { publicTextProblems } from '../../../../identity/public-text/problems.ts'
import { userProblems } from '../../../../identity/users/problems.ts'
import { membershipProblems } from '../../../../play/memberships/problems.ts'
import { rewardProblems } from '../../../../play/rewards/problems.ts'

export const thrownBy = {
  grantPointsToFan: [
    userProblems.fan_not_found,
    accountProblems.account_not_found,
    pointsProblems.insufficient_points,
    pointsProblems.points_limit_reached,
    pointsProblems.ref_reused,
  ],
  grantCashToFan: [cashProblems.cash_not_accepted, userProblems.fan_not_found, pointsProblems.ref_reused],
  voidEventOfFan: [userProblems.fan_not_found, eventProblems.event_not_found, eventProblems.event_archived],
  writeMembershipOfFan: [
    userProblems.fan_not_found,
    membershipProblems.membership_kind_not_found,
    membershipProblems.membership_of_another_fan,
  ],
  endMembershipOfFan: [membershipProblems.membership_not_found],
  endSessionsOfFan: [userProblems.fan_not_found],
  withdrawConsentOfFan: [userProblems.fan_not_found, consentProblems.document_not_found],
  renameFan: [
    userProblems.fan_not_found,
    publicTextProblems.terms_not_accepted,
    publicTextProblems.text_not_allowed,
    profileProblems.handle_taken,
    teamProblems.team_not_found,
  ],
  undoClaimOfFan: [userProblems.fan_not_found, rewardProblems.not_claimed, rewardProblems.already_used],
  replaceCodeOfFan: [userProblems.fan_not_found, rewardProblems.not_claimed, rewardProblems.already_used],
  undoUseOfReward: [
    userProblems.fan_not_found,
    rewardProblems.redemption_not_found,
    rewardProblems.code_not_used,
  ],
  undoUseOfFan: [
    userProblems.fan_not_found,
    rewardProblems.redemption_not_found,
    rewardProblems.code_not_used,
  ],
  mergeFan: [
    userProblems.fan_not_found,
    userProblems.fans_not_mergeable,
    pointsProblems.points_limit_reached,
  ],
  listClaimsOfFan: [userProblems.fan_not_found],
  exportFan: [userProblems.fan_not_found],
  eraseFan: [userProblems.fan_not_found],
  planMergeOfFan: [
    userProblems.fan_not_found,
    userProblems.fans_not_mergeable,
    pointsProblems.points_limit_reached,
  ],
} as const
