/** The rewards of a fan in numbers: SQL for the claims, as parts of a larger statement, and what can be claimed. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { collected } from '../../../db/listed.ts'
import { findBlockers, type RewardRow } from './present.ts'

/** The ids of the rewards that a fan has claimed and not redeemed, and of those that are redeemed. */
export function claimedIds(reader: Reader, userId: string) {
  const { userId: owner, rewardId, redeemedAt } = reader.tables.userRewards
  return {
    claimed: collected(reader, rewardId, and(eq(owner, userId), isNull(redeemedAt))),
    redeemed: collected(reader, rewardId, and(eq(owner, userId), isNotNull(redeemedAt))),
  }
}

/** How many rewards of the catalogue a fan can claim who has claimed those of `own`. */
export function countClaimable(catalogue: RewardRow[], own: Set<string>, points: number, now: Date): number {
  return catalogue.filter(
    reward => !own.has(reward.id) && findBlockers(reward, undefined, points, now).length === 0,
  ).length
}
