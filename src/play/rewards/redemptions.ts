/** Redemption codes at the desk: looked up, and used once. */

import { and, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { DomainError } from '../../core/problems.ts'
import { readPublicProfiles } from '../../identity/users/public-profile.ts'
import { rewardProblems } from './problems.ts'
import { normalizeRedemptionCode } from './redemption-code.ts'
import type { Redemption } from './redemption-schema.ts'

/** `text` is a code as typed by a person. The code of an erased fan does not exist any more: see `void-codes.ts`. */
export async function lookUpRedemption(reader: Reader, text: string): Promise<Redemption> {
  const code = normalizeRedemptionCode(text)
  const [found] = code === null ? [] : await selectRedemption(reader, code)
  // A constraint allows a code only together with the time of the redemption.
  if (code === null || !found?.redeemedAt) throw notFound()
  const { userId, reward, redeemedAt, usedAt, usedBy } = found
  const profile = (await readPublicProfiles(reader, [userId])).get(userId)
  return {
    code,
    reward: presentTexts(reward),
    fan: { id: userId, displayName: profile?.displayName ?? null },
    redeemedAt: redeemedAt.toISOString(),
    usedAt: usedAt?.toISOString() ?? null,
    usedBy,
  }
}
lookUpRedemption.problems = [rewardProblems.redemption_not_found] as const

/** Uses a code, once. `usedBy` is the source or the operator who gives the reward out. */
export async function useRedemption(tx: Transaction, usedBy: string, text: string): Promise<Redemption> {
  const code = normalizeRedemptionCode(text)
  // One conditional statement decides between desks that use the code at the same time.
  const [used] = code === null ? [] : await markUsed(tx, code, { usedBy, usedAt: tx.now() })
  const redemption = await lookUpRedemption(tx, text)
  if (used) return redemption
  const { usedAt, usedBy: before } = redemption
  // Redeemed after the statement that looked for it: the code is still unknown.
  if (usedAt === null || before === null) throw notFound()
  throw new DomainError(rewardProblems.already_used, {
    usedAt,
    usedBy: before,
    detail: `Used by ${before} at ${usedAt}.`,
  })
}
useRedemption.problems = [rewardProblems.redemption_not_found, rewardProblems.already_used] as const

const notFound = () =>
  new DomainError(rewardProblems.redemption_not_found, { detail: 'No redeemed reward has this code.' })

const selectRedemption = prepared((reader: Reader, code: string) => {
  const { rewards, userRewards } = reader.tables
  const { id, title, description, imageUrl, itemType, translations } = rewards
  return reader
    .select({
      userId: userRewards.userId,
      reward: { id, title, description, imageUrl, itemType, translations },
      redeemedAt: userRewards.redeemedAt,
      usedAt: userRewards.usedAt,
      usedBy: userRewards.usedBy,
    })
    .from(userRewards)
    .innerJoin(rewards, eq(rewards.id, userRewards.rewardId))
    .where(eq(userRewards.redemptionCode, code))
})

const markUsed = prepared((tx: Transaction, code: string, use: { usedBy: string; usedAt: Date }) => {
  const { userRewards } = tx.tables
  return tx
    .update(userRewards)
    .set(use)
    .where(and(eq(userRewards.redemptionCode, code), isNull(userRewards.usedAt)))
    .returning({ usedAt: userRewards.usedAt })
})
