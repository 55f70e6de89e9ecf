/** How many rewards a fan can claim now, has claimed and has redeemed. */
import { and, eq, isNotNull, or, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { activeAt } from '../window.ts'
import { obstacles, type RewardRow, type UserRewardRow } from './present.ts'

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
  const now = reader.now()
  const rows = await selectShelf(reader, { userId: userId ?? '', now })
  const count = (is: (row: Shelved) => boolean) => rows.filter(is).length
  return {
    claimable: count(({ reward, own }) => obstacles(reward, own ?? undefined, points, now).length === 0),
    claimed: count(({ own }) => own !== null && own.redeemedAt === null),
    redeemed: count(({ own }) => own !== null && own.redeemedAt !== null),
  }
}

interface Shelved {
  reward: RewardRow
  /** Null beside what they have not claimed. */
  own: UserRewardRow | null
}

const selectShelf = prepared<{ userId: string; now: Date }, Shelved[]>((reader, value) => {
  const { rewards, userRewards } = reader.tables
  const now = sql.param(value('now'), rewards.startsAt)
  return reader
    .select({ reward: rewards, own: userRewards })
    .from(rewards)
    .leftJoin(userRewards, and(eq(userRewards.rewardId, rewards.id), eq(userRewards.userId, value('userId'))))
    .where(or(activeAt(rewards, now), isNotNull(userRewards.rewardId)))
})
