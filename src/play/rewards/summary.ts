/** Numbers of a fan's rewards: SQL for the claims, as parts of a larger statement, and the count of rewards to claim. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { collected } from '../../../db/listed.ts'
import type { Viewer } from '../../core/caller.ts'
import { findBlockers, type RewardRow } from './present.ts'
import { readUnmetOf } from './rewards.ts'

/** The ids of the rewards that a fan has claimed but not redeemed, and the ids of redeemed rewards. */
export function claimedIds(reader: Reader, userId: string) {
  const { userId: owner, rewardId, redeemedAt } = reader.tables.userRewards
  return {
    claimed: collected(reader, rewardId, and(eq(owner, userId), isNull(redeemedAt))),
    redeemed: collected(reader, rewardId, and(eq(owner, userId), isNotNull(redeemedAt))),
  }
}

interface Fan extends Viewer {
  /** The ids of the rewards that the fan has claimed. */
  claimed: Set<string>
  points: number
}

/** How many rewards of the catalogue a fan can claim. Another statement only if one of them requires more than points. */
export async function countClaimable(
  read: Reader,
  catalogue: RewardRow[],
  { userId, claimed, points }: Fan,
  now: Date,
): Promise<number> {
  const open = catalogue.filter(
    reward => !claimed.has(reward.id) && findBlockers(reward, { own: undefined, points }, now).length === 0,
  )
  const unmet = await readUnmetOf(read, { userId }, open)
  return open.filter(({ id }) => !unmet.get(id)?.length).length
}
