import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { DomainError } from '../problems.ts'
import { rewardsTopic } from '../views/topics.ts'
import type { ViewCache, Viewed } from '../views/view-cache.ts'
import type { RewardRow, UserRewardRow } from './present.ts'

/** @throws DomainError `reward_not_found` */
export async function requireReward(reader: Reader, rewardId: string): Promise<RewardRow> {
  const [reward] = await selectReward(reader, { rewardId })
  if (!reward) throw new DomainError('reward_not_found')
  return reward
}

const selectReward = prepared<{ rewardId: string }, RewardRow[]>((reader, value) => {
  const { rewards } = reader.tables
  return reader
    .select()
    .from(rewards)
    .where(eq(rewards.id, value('rewardId')))
})

/** Every reward whose flag is on, cheapest first, whether its window is open or not: one answer for all who ask. */
export function viewCatalogue(reader: Reader, views: ViewCache): Viewed<RewardRow[]> {
  const { rewards } = reader.tables
  return views.read('rewards', async () => ({
    value: await reader
      .select()
      .from(rewards)
      .where(eq(rewards.active, true))
      .orderBy(asc(rewards.pointsRequired), asc(rewards.id)),
    topics: [rewardsTopic],
  }))
}

/** What a fan did with a reward; undefined when they have not claimed it. */
export async function findUserReward(
  reader: Reader,
  userId: string,
  rewardId: string,
): Promise<UserRewardRow | undefined> {
  const [row] = await selectUserReward(reader, { userId, rewardId })
  return row
}

const selectUserReward = prepared<{ userId: string; rewardId: string }, UserRewardRow[]>((reader, value) => {
  const { userRewards } = reader.tables
  return reader
    .select()
    .from(userRewards)
    .where(and(eq(userRewards.userId, value('userId')), eq(userRewards.rewardId, value('rewardId'))))
})
