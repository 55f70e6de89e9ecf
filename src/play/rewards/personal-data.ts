/** Exports the claims of a fan, and merges those of two records: a fan has one claim for each reward. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import { voidLatest } from '../../economy/events/void-latest.ts'
import { rewardsTag } from '../../platform/cache/tags.ts'
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

type Claim = Tables['userRewards']['$inferSelect']

export interface MergedClaims {
  moved: number
  /** Number of ended claims: both fans had claimed the same reward. */
  ended: number
}

/**
 * Moves the claims of the merged fan. If both fans claimed a reward, the more advanced claim stays: used, then redeemed,
 * then claimed. The other claim ends, its grants are taken back and its unit returns to the stock. If both were used, the
 * merged fan's claim stays with the merged record.
 */
export async function mergeClaims(tx: Transaction, { fromId, intoId }: Merge): Promise<MergedClaims> {
  const own = new Map((await claimsOf(tx, intoId)).map(claim => [claim.rewardId, claim]))
  const result = { moved: 0, ended: 0 }
  for (const claim of await claimsOf(tx, fromId)) {
    const { rewardId } = claim
    const other = own.get(rewardId)
    const isFurther = !other || stageOf(claim) > stageOf(other)
    const lost = isFurther ? other : claim
    if (lost && (await endClaim(tx, lost))) result.ended++
    if (!isFurther) continue
    await tx.update(tx.tables.userRewards).set({ userId: intoId }).where(isClaim(tx, claim))
    result.moved++
  }
  return result
}

/** Sorted in the same order for all merges, since they lock the stock. */
const claimsOf = (tx: Transaction, userId: string) => {
  const { userRewards } = tx.tables
  return tx.select().from(userRewards).where(eq(userRewards.userId, userId)).orderBy(userRewards.rewardId)
}

const stageOf = ({ usedAt, redeemedAt }: Claim) => (usedAt ? 2 : redeemedAt ? 1 : 0)

const isClaim = (
  { tables: { userRewards } }: Pick<Transaction, 'tables'>,
  { userId, rewardId }: Pick<Claim, 'userId' | 'rewardId'>,
) => and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId))

/**
 * Ends a claim and takes back the grants of rules and quests for it. Returns false if its code was used. Requires that the
 * fan is locked.
 */
export async function endClaim(tx: Transaction, claim: Pick<Claim, 'userId' | 'rewardId'>): Promise<boolean> {
  const { userRewards, rewards } = tx.tables
  const [ended] = await tx
    .delete(userRewards)
    .where(and(isClaim(tx, claim), sql`${userRewards.usedAt} is null`))
    .returning({ rewardId: userRewards.rewardId })
  if (!ended) return false
  await tx
    .update(rewards)
    .set({ stockRemaining: sql`${rewards.stockRemaining} + 1` })
    .where(and(eq(rewards.id, ended.rewardId), sql`${rewards.stockRemaining} is not null`))
  tx.invalidate(rewardsTag)
  const { userId, rewardId } = claim
  for (const type of ['reward.redeemed', 'reward.claimed'] as const)
    await voidLatest(tx, { userId, type, about: { rewardId } })
  return true
}
