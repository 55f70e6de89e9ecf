/** How many rewards a fan can claim now, has claimed and has redeemed. */
import { and, eq, isNotNull, or } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { activeAt } from '../window.ts'
import { obstacles } from './present.ts'

export interface RewardsTally {
  claimable: number
  /** Claimed and not yet redeemed. */
  claimed: number
  redeemed: number
}

/** `points` is the fan's balance. Without a user id: what anybody with these points could claim. */
export async function tallyRewards(
  reader: Reader,
  userId: string | undefined,
  points: number,
): Promise<RewardsTally> {
  const { rewards, userRewards } = reader.tables
  const now = reader.now()
  const rows = await reader
    .select({ reward: rewards, own: userRewards })
    .from(rewards)
    .leftJoin(userRewards, and(eq(userRewards.rewardId, rewards.id), eq(userRewards.userId, userId ?? '')))
    .where(or(activeAt(rewards, now), isNotNull(userRewards.rewardId)))
  const count = (is: (row: (typeof rows)[number]) => boolean) => rows.filter(is).length
  return {
    claimable: count(({ reward, own }) => obstacles(reward, own ?? undefined, points, now).length === 0),
    claimed: count(({ own }) => own !== null && own.redeemedAt === null),
    redeemed: count(({ own }) => own !== null && own.redeemedAt !== null),
  }
}
