import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { DomainError } from '../problems.ts'
import type { RewardRow, UserRewardRow } from './present.ts'

/** @throws DomainError `reward_not_found` */
export async function requireReward(reader: Reader, rewardId: string): Promise<RewardRow> {
  const { rewards } = reader.tables
  const [reward] = await reader.select().from(rewards).where(eq(rewards.id, rewardId))
  if (!reward) throw new DomainError('reward_not_found')
  return reward
}

/** What a fan did with a reward; undefined when they have not claimed it. */
export async function findUserReward(
  reader: Reader,
  userId: string,
  rewardId: string,
): Promise<UserRewardRow | undefined> {
  const { userRewards } = reader.tables
  const [row] = await reader
    .select()
    .from(userRewards)
    .where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
  return row
}
