/** Responses about a reward: its state for a fan, and the blockers of a claim. */
import type { Tables } from '../../../db/index.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { type RequiresCode, requiresOf } from '../eligibility/requires.ts'
import type { RewardResult } from './schema.ts'

export type RewardRow = Tables['rewards']['$inferSelect']
type UserRewardRow = Tables['userRewards']['$inferSelect']
/** The claim of a fan. */
export type OwnReward = Pick<UserRewardRow, 'rewardId' | 'claimedAt' | 'redeemedAt' | 'redemptionCode'>

type Blocker = (typeof RewardResult.static)['reward']['blockedBy'][number]

/** What decides about a reward for a fan. */
export interface OwnFacts {
  own: OwnReward | undefined
  points: number
  /** What the fan lacks of `requires`; nothing once the reward is claimed. */
  unmet?: RequiresCode[] | undefined
}

/** The problems of a claim made now, in the order in which a claim checks them. */
export function findBlockers(reward: RewardRow, { own, points, unmet = [] }: OwnFacts, now: Date): Blocker[] {
  const found = new Set<Blocker>()
  if (!isActive(reward, now)) found.add('reward_inactive')
  if (points < reward.pointsRequired) found.add('insufficient_points')
  if (own) found.add('already_claimed')
  for (const code of unmet) found.add(code)
  if (reward.stockRemaining === 0) found.add('out_of_stock')
  return [...found]
}

export const presentReward = (reward: RewardRow, facts: OwnFacts, now: Date) => ({
  ...presentShared(reward, now),
  ...presentOwn(reward, facts, now),
})

/** The members that are the same for every fan. */
export function presentShared(reward: RewardRow, now: Date) {
  const { title, description } = presentTexts(reward)
  return {
    id: reward.id,
    title,
    description,
    imageUrl: reward.imageUrl,
    itemType: reward.itemType,
    pointsRequired: reward.pointsRequired,
    requires: requiresOf(reward),
    sponsorId: reward.sponsorId,
    active: isActive(reward, now),
    startsAt: reward.startsAt?.toISOString() ?? null,
    endsAt: reward.endsAt?.toISOString() ?? null,
    stockRemaining: reward.stockRemaining,
  }
}

/** The members that depend on the fan. */
export function presentOwn(reward: RewardRow, facts: OwnFacts, now: Date) {
  const blockedBy = findBlockers(reward, facts, now)
  const { own, points } = facts
  return {
    state: stateOf(own),
    unlocked: points >= reward.pointsRequired,
    claimable: blockedBy.length === 0,
    missingPoints: Math.max(0, reward.pointsRequired - points),
    blockedBy,
    claimedAt: own?.claimedAt.toISOString() ?? null,
    redeemedAt: own?.redeemedAt?.toISOString() ?? null,
    redemptionCode: own?.redemptionCode ?? null,
  }
}

function stateOf(own: OwnReward | undefined): 'unclaimed' | 'claimed' | 'redeemed' {
  if (!own) return 'unclaimed'
  return own.redeemedAt ? 'redeemed' : 'claimed'
}
