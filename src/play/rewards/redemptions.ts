/** Redemption codes at the desk: looked up, and used once. */

import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { DomainError } from '../../core/problems.ts'
import { readPublicProfiles } from '../../identity/users/public-profile.ts'
import { rewardProblems } from './problems.ts'
import { normalizeRedemptionCode } from './redemption-code.ts'
import type { Redemption } from './redemption-schema.ts'

/** A source of codes that the desk looks up and uses. Codes are unique among all sources. */
export interface CodeSource {
  /** Finds a code in its canonical form. */
  find(reader: Reader, code: string): Promise<Redemption | undefined>
  /**
   * Marks the code as used, with one conditional statement, so that only one desk succeeds. False if it is used, void or
   * unknown.
   */
  use(tx: Transaction, code: string, use: CodeUse): Promise<boolean>
  /** Undoes the use at a desk, with one conditional statement. False if the code was not used. */
  undoUse(tx: Transaction, code: string): Promise<boolean>
}

export interface CodeUse {
  usedAt: Date
  /** The source or the operator that hands out the goods. */
  usedBy: string
}

/** `text` is a code as a person types it. The codes of an erased fan no longer exist. */
export async function lookUpRedemption(
  reader: Reader,
  sources: readonly CodeSource[],
  text: string,
): Promise<Redemption> {
  const code = normalizeRedemptionCode(text)
  if (code !== null)
    for (const source of sources) {
      const found = await source.find(reader, code)
      if (found) return found
    }
  throw notFound()
}

/** Uses a code, once. */
export async function useRedemption(
  tx: Transaction,
  sources: readonly CodeSource[],
  usedBy: string,
  text: string,
): Promise<Redemption> {
  const code = normalizeRedemptionCode(text)
  let used = false
  if (code !== null)
    for (const source of sources) used ||= await source.use(tx, code, { usedBy, usedAt: tx.now() })
  const redemption = await lookUpRedemption(tx, sources, text)
  if (used) return redemption
  const { usedAt, usedBy: before } = redemption
  // The code was redeemed after the first statement, which has not seen it.
  if (usedAt === null || before === null) throw notFound()
  throw new DomainError(rewardProblems.already_used, {
    usedAt,
    usedBy: before,
    detail: `Used by ${before} at ${usedAt}.`,
  })
}

/** The codes of redeemed rewards. An erasure replaces the codes of the fan: see `void-codes.ts`. */
export const rewardCodes: CodeSource = {
  async find(reader, code) {
    const [found] = await selectRedemption(reader, code)
    // A constraint allows a code only together with the time of the redemption.
    if (!found?.redeemedAt) return undefined
    const { userId, reward, redeemedAt, usedAt, usedBy } = found
    return {
      code,
      reward: presentTexts(reward),
      order: null,
      fan: await presentHolder(reader, userId),
      redeemedAt: redeemedAt.toISOString(),
      usedAt: usedAt?.toISOString() ?? null,
      usedBy,
    }
  },
  use: async (tx, code, use) => (await markUsed(tx, code, use)).length > 0,
  undoUse: async (tx, code) => (await markUnused(tx, code)).length > 0,
}

export async function presentHolder(reader: Reader, userId: string): Promise<Redemption['fan']> {
  const profile = (await readPublicProfiles(reader, [userId])).get(userId)
  return { id: userId, displayName: profile?.displayName ?? null }
}

const notFound = () =>
  new DomainError(rewardProblems.redemption_not_found, {
    detail: 'No redeemed reward and no voucher has this code.',
  })

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

const markUsed = prepared((tx: Transaction, code: string, use: CodeUse) => {
  const { userRewards } = tx.tables
  return tx
    .update(userRewards)
    .set(use)
    .where(and(eq(userRewards.redemptionCode, code), isNull(userRewards.usedAt)))
    .returning({ usedAt: userRewards.usedAt })
})

const markUnused = prepared((tx: Transaction, code: string) => {
  const { userRewards } = tx.tables
  return tx
    .update(userRewards)
    .set({ usedAt: null, usedBy: null })
    .where(and(eq(userRewards.redemptionCode, code), isNotNull(userRewards.usedAt)))
    .returning({ rewardId: userRewards.rewardId })
})
