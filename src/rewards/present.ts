/** A reward as one fan sees it: what they did with it, and what stands between them and it. */
import type { Tables } from '../../db/index.ts'
import { isActive } from '../catalogue/availability.ts'
import type { ProblemCode } from '../core/problems.ts'

export type RewardRow = Tables['rewards']['$inferSelect']
export type UserRewardRow = Tables['userRewards']['$inferSelect']
/** What a fan did with a reward that they claimed. */
export type OwnReward = Pick<UserRewardRow, 'rewardId' | 'claimedAt' | 'redeemedAt' | 'redemptionCode'>

type Obstacle = Extract<
  ProblemCode,
  'reward_inactive' | 'insufficient_points' | 'already_claimed' | 'out_of_stock'
>

/** What would refuse a claim, in the order in which a claim checks it. */
export function obstacles(
  reward: RewardRow,
  own: OwnReward | undefined,
  points: number,
  now: Date,
): Obstacle[] {
  const found: Obstacle[] = []
  if (!isActive(reward, now)) found.push('reward_inactive')
  if (points < reward.pointsRequired) found.push('insufficient_points')
  if (own) found.push('already_claimed')
  if (reward.stockRemaining === 0) found.push('out_of_stock')
  return found
}

export const presentReward = (reward: RewardRow, own: OwnReward | undefined, points: number, now: Date) => ({
  ...presentShared(reward, now),
  ...presentOwn(reward, own, points, now),
})

/** What is the same for all who see it. */
export function presentShared(reward: RewardRow, now: Date) {
  return {
    id: reward.id,
    title: reward.title,
    description: reward.description,
    imageUrl: reward.imageUrl,
    itemType: reward.itemType,
    pointsRequired: reward.pointsRequired,
    active: isActive(reward, now),
    startsAt: reward.startsAt?.toISOString() ?? null,
    endsAt: reward.endsAt?.toISOString() ?? null,
    stockRemaining: reward.stockRemaining,
  }
}

/** The rest of it, a fan's own. */
export function presentOwn(reward: RewardRow, own: OwnReward | undefined, points: number, now: Date) {
  const blockedBy = obstacles(reward, own, points, now)
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
