import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'

/** The claims and redemptions of a fan: at most one claim per reward. */
export function exportClaims(reader: Reader, userId: string) {
  const { rewards, userRewards } = reader.tables
  const { rewardId, claimedAt, redeemedAt, redemptionCode, usedAt, usedBy } = userRewards
  return reader
    .select({ rewardId, title: rewards.title, claimedAt, redeemedAt, redemptionCode, usedAt, usedBy })
    .from(userRewards)
    .innerJoin(rewards, eq(rewards.id, rewardId))
    .where(eq(userRewards.userId, userId))
    .orderBy(asc(claimedAt), asc(rewardId))
}
