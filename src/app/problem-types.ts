/** Every problem type of the API: the sum of what its rooms declare. */

import { catalogueProblems } from '../club/catalogue/problems.ts'
import { matchProblems } from '../club/matches/problems.ts'
import { pictureProblems } from '../club/pictures/problems.ts'
import { teamProblems } from '../club/teams/problems.ts'
import type { ProblemOf as DocumentOf, ProblemType } from '../core/problems.ts'
import { transportProblems } from '../core/transport-problems.ts'
import { streamProblems } from '../delivery/stream/problems.ts'
import { accountProblems } from '../economy/accounts/problems.ts'
import { cashProblems } from '../economy/cash/problems.ts'
import { eventProblems } from '../economy/events/problems.ts'
import { pointsProblems } from '../economy/points/problems.ts'
import { exportProblems } from '../fan/account/problems.ts'
import { consentProblems } from '../fan/consents/problems.ts'
import { messageProblems } from '../fan/messages/problems.ts'
import { moderationProblems } from '../fan/moderation/problems.ts'
import { profileProblems } from '../fan/profile/problems.ts'
import { authProblems } from '../identity/auth/problems.ts'
import { publicTextProblems } from '../identity/public-text/problems.ts'
import { relationProblems } from '../identity/relations/problems.ts'
import { sanctionProblems } from '../identity/sanctions/problems.ts'
import { userProblems } from '../identity/users/problems.ts'
import { providerProblems } from '../platform/identity-provider/problems.ts'
import { checkInProblems } from '../play/check-ins/problems.ts'
import { codeProblems } from '../play/codes/problems.ts'
import { eligibilityProblems } from '../play/eligibility/problems.ts'
import { leagueProblems } from '../play/leagues/problems.ts'
import { lockerProblems } from '../play/lockers/problems.ts'
import { membershipProblems } from '../play/memberships/problems.ts'
import { packProblems } from '../play/packs/problems.ts'
import { predictionProblems } from '../play/predictions/problems.ts'
import { purchaseProblems } from '../play/purchases/problems.ts'
import { questionProblems } from '../play/questions/problems.ts'
import { questProblems } from '../play/quests/problems.ts'
import { receiptProblems } from '../play/receipts/problems.ts'
import { rewardProblems } from '../play/rewards/problems.ts'
import { shopProblems } from '../play/shop/problems.ts'
import { topUpProblems } from '../play/top-ups/problems.ts'
import { tradeProblems } from '../play/trades/problems.ts'
import { walletProblems } from '../play/wallets/problems.ts'

export const problemTypes = unite(
  transportProblems,
  providerProblems,
  userProblems,
  authProblems,
  relationProblems,
  publicTextProblems,
  sanctionProblems,
  streamProblems,
  teamProblems,
  matchProblems,
  catalogueProblems,
  pictureProblems,
  eventProblems,
  pointsProblems,
  accountProblems,
  eligibilityProblems,
  membershipProblems,
  receiptProblems,
  rewardProblems,
  questProblems,
  cashProblems,
  purchaseProblems,
  topUpProblems,
  packProblems,
  leagueProblems,
  questionProblems,
  lockerProblems,
  tradeProblems,
  walletProblems,
  codeProblems,
  shopProblems,
  checkInProblems,
  predictionProblems,
  profileProblems,
  messageProblems,
  consentProblems,
  exportProblems,
  moderationProblems,
)

export type ProblemCode = keyof typeof problemTypes

/** The problem document of a code, as clients receive it (RFC 9457). */
export type ProblemOf<Code extends ProblemCode> = DocumentOf<(typeof problemTypes)[Code]>

type Union<Rooms extends readonly object[]> = Rooms extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? First & Union<Rest>
  : unknown

/** @throws Error if two rooms declare the same code */
function unite<const Rooms extends readonly Record<string, ProblemType>[]>(...rooms: Rooms): Union<Rooms> {
  const all: Record<string, ProblemType> = {}
  for (const [code, type] of rooms.flatMap(room => Object.entries(room))) {
    if (code in all) throw new Error(`two rooms declare the problem ${code}`)
    all[code] = type
  }
  // Guarantee of the cast: every entry of every room was added.
  return all as Union<Rooms>
}
