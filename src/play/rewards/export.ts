import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { validCode } from './void-codes.ts'

/** The claims and redemptions of a fan: at most one claim per reward. Without the codes that an erasure has replaced. */
export async function exportClaims(reader: Reader, userId: string) {
  const { rewards, userRewards } = reader.tables
  const { rewardId, claimedAt, redeemedAt, redemptionCode, usedAt, usedBy } = userRewards
  const rows = await reader
    .select({ rewardId, title: rewards.title, claimedAt, redeemedAt, redemptionCode, usedAt, usedBy })
    .from(userRewards)
    .innerJoin(rewards, eq(rewards.id, rewardId))
    .where(eq(userRewards.userId, userId))
    .orderBy(asc(claimedAt), asc(rewardId))
  return rows.map(row => ({ ...row, redemptionCode: validCode(row.redemptionCode) }))
}
