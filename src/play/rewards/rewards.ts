/**
 * Rewards: a fan with enough points claims one, once (`claim.ts`), and redeems it, also once (`redeem.ts`): some by a code at the
 * desk (`redemptions.ts`). The state of a reward for a fan: `present.ts`. What staff can undo: `corrections.ts`.
 */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { MaybePromise, ResponseCache } from '../../platform/cache/response-cache.ts'
import { rewardsTag } from '../../platform/cache/tags.ts'
import { readUnmet } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import type { RewardRow } from './present.ts'
import { rewardProblems } from './problems.ts'

/** @throws DomainError `reward_not_found` */
export async function requireReward(reader: Reader, rewardId: string): Promise<RewardRow> {
  const reward = await findReward(reader, rewardId)
  if (!reward) throw new DomainError(rewardProblems.reward_not_found)
  return reward
}

export const findReward = preparedRow((reader: Reader, rewardId: string) => {
  const { rewards } = reader.tables
  return reader.select().from(rewards).where(eq(rewards.id, rewardId))
})

/** Every active reward, cheapest first, whether or not it is available now, from the response cache. */
export const getCatalogue = (reader: Reader, cache: ResponseCache): MaybePromise<RewardRow[]> =>
  cache.get('rewards', async () => ({ value: await selectFlagged(reader), tags: [rewardsTag] }))

const selectFlagged = prepared((reader: Reader) => {
  const { rewards } = reader.tables
  return reader
    .select()
    .from(rewards)
    .where(eq(rewards.active, true))
    .orderBy(asc(rewards.pointsRequired), asc(rewards.id))
})

/** What a fan lacks of `requires`, by reward. Not for units of work: it may ask a chain. */
export const readUnmetOf = (read: Reader, viewer: Viewer, rewards: RewardRow[]) =>
  readUnmet(
    read,
    viewer,
    rewards.map(reward => ({ id: reward.id, requires: requiresOf(reward) })),
  )

/** A fan's claim of a reward; undefined when they have not claimed it. */
export const findUserReward = preparedRow((reader: Reader, userId: string, rewardId: string) => {
  const { userRewards } = reader.tables
  return reader
    .select()
    .from(userRewards)
    .where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
})
