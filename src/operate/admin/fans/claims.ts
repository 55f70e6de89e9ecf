/** The claims of a fan, for corrections by staff: without their codes. */
import { desc, eq } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { presentTexts } from '../../../club/catalogue/texts.ts'
import { requireFan } from './head.ts'

/** Newest first. */
const MAX_CLAIMS = 200

/** @throws DomainError `fan_not_found` */
export async function listClaimsOf(reader: Reader, fanId: string) {
  await requireFan(reader, fanId)
  const { rewards, userRewards } = reader.tables
  const { id, title, translations } = rewards
  const { claimedAt, redeemedAt, usedAt, usedBy } = userRewards
  const rows = await reader
    .select({ reward: { id, title, translations }, claimedAt, redeemedAt, usedAt, usedBy })
    .from(userRewards)
    .innerJoin(rewards, eq(rewards.id, userRewards.rewardId))
    .where(eq(userRewards.userId, fanId))
    .orderBy(desc(claimedAt), desc(id))
    .limit(MAX_CLAIMS)
  return {
    claims: rows.map(({ reward, ...claim }) => ({
      rewardId: reward.id,
      title: presentTexts(reward).title,
      claimedAt: claim.claimedAt.toISOString(),
      redeemedAt: claim.redeemedAt?.toISOString() ?? null,
      usedAt: claim.usedAt?.toISOString() ?? null,
      usedBy: claim.usedBy,
    })),
  }
}
