/** A reward as one fan sees it: what they did with it, and what stands between them and it. */
import type { Tables } from '../../db/index.ts'
import type { ProblemCode } from '../problems.ts'
import { isActive } from '../window.ts'

export type RewardRow = Tables['rewards']['$inferSelect']
export type UserRewardRow = Tables['userRewards']['$inferSelect']

type Obstacle = Extract<
  ProblemCode,
  'reward_inactive' | 'insufficient_points' | 'already_claimed' | 'out_of_stock'
>

/** What would refuse a claim, in the order in which a claim checks it. */
export function obstacles(
  reward: RewardRow,
  own: UserRewardRow | undefined,
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

export function presentReward(reward: RewardRow, own: UserRewardRow | undefined, points: number, now: Date) {
  const blockedBy = obstacles(reward, own, points, now)
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

function stateOf(own: UserRewardRow | undefined): 'unclaimed' | 'claimed' | 'redeemed' {
  if (!own) return 'unclaimed'
  return own.redeemedAt ? 'redeemed' : 'claimed'
}
