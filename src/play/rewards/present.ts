/** Responses about a reward: its state for a fan, and the blockers of a claim. */
import type { Tables } from '../../../db/index.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { presentHolds } from '../wallets/holdings.ts'
import type { RewardResult } from './schema.ts'

export type RewardRow = Tables['rewards']['$inferSelect']
type UserRewardRow = Tables['userRewards']['$inferSelect']
/** The claim of a fan. */
export type OwnReward = Pick<UserRewardRow, 'rewardId' | 'claimedAt' | 'redeemedAt' | 'redemptionCode'>

type Blocker = (typeof RewardResult.static)['reward']['blockedBy'][number]

/** The problems of a claim made now, in the order in which a claim checks them. */
export function findBlockers(
  reward: RewardRow,
  own: OwnReward | undefined,
  points: number,
  now: Date,
): Blocker[] {
  const found: Blocker[] = []
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
    requires: presentHolds(reward.requiredHolding),
    active: isActive(reward, now),
    startsAt: reward.startsAt?.toISOString() ?? null,
    endsAt: reward.endsAt?.toISOString() ?? null,
    stockRemaining: reward.stockRemaining,
  }
}

/** The members that depend on the fan. */
export function presentOwn(reward: RewardRow, own: OwnReward | undefined, points: number, now: Date) {
  const blockedBy = findBlockers(reward, own, points, now)
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
