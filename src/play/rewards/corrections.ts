/**
 * Corrections of claims by the club's staff. Each is one conditional statement, so that only one of several concurrent
 * corrections takes effect.
 */
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { endClaim } from './personal-data.ts'
import { rewardProblems } from './problems.ts'
import { mintRedemptionCode, normalizeRedemptionCode } from './redemption-code.ts'
import type { Redemption } from './redemption-schema.ts'
import { type CodeSource, lookUpRedemption } from './redemptions.ts'
import { findUserReward } from './rewards.ts'

interface ClaimReference {
  userId: string
  rewardId: string
}

/**
 * Undoes an unused claim: its unit returns to the stock, its code becomes invalid, and the fan can claim the reward again. A
 * claim has spent no points. Requires that the fan is locked.
 */
export async function undoClaim(tx: Transaction, claim: ClaimReference): Promise<void> {
  const { userId, rewardId } = claim
  if (!(await endClaim(tx, claim))) throw await refusalOf(tx, claim)
  await recordEvent(tx, { userId, type: 'reward.claim_undone', data: { rewardId } })
}

/** Replaces an unused code of a redeemed reward, for example after others have seen it. Requires that the fan is locked. */
export async function replaceCode(tx: Transaction, claim: ClaimReference): Promise<void> {
  const { userRewards } = tx.tables
  const { userId, rewardId } = claim
  const [replaced] = await tx
    .update(userRewards)
    .set({ redemptionCode: mintRedemptionCode(tx.randomBytes(10)) })
    .where(
      and(
        ...[eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)],
        ...[isNotNull(userRewards.redeemedAt), isNull(userRewards.usedAt)],
      ),
    )
    .returning({ rewardId: userRewards.rewardId })
  if (!replaced) throw await refusalOf(tx, claim)
  await recordEvent(tx, { userId, type: 'reward.code_replaced', data: { rewardId } })
}

/** Why the claim cannot be changed. */
async function refusalOf(tx: Transaction, { userId, rewardId }: ClaimReference): Promise<DomainError> {
  const { userRewards } = tx.tables
  const [claim] = await tx
    .select({ usedAt: userRewards.usedAt, usedBy: userRewards.usedBy })
    .from(userRewards)
    .where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
  const { usedAt = null, usedBy = null } = claim ?? {}
  if (usedAt === null || usedBy === null)
    return new DomainError(rewardProblems.not_claimed, {
      detail: (await findUserReward(tx, userId, rewardId))
        ? 'The fan has not redeemed this reward.'
        : 'The fan has not claimed this reward.',
    })
  return new DomainError(rewardProblems.already_used, { usedAt: usedAt.toISOString(), usedBy })
}

/** Undoes the use of a code at a desk, once, so that the code can be used again. The code must belong to `userId`. */
export async function undoUse(
  tx: Transaction,
  sources: readonly CodeSource[],
  { userId, code: text }: { userId: string; code: string },
): Promise<Redemption> {
  const found = await lookUpRedemption(tx, sources, text)
  const code = normalizeRedemptionCode(text)
  if (found.fan.id !== userId || code === null) throw new DomainError(rewardProblems.redemption_not_found)
  let undone = false
  for (const source of sources) undone ||= await source.undoUse(tx, code)
  if (!undone) throw new DomainError(rewardProblems.code_not_used)
  await recordEvent(tx, {
    userId,
    type: 'reward.use_undone',
    data: { rewardId: found.order === null ? found.reward.id : null, orderId: found.order?.id ?? null },
  })
  return lookUpRedemption(tx, sources, text)
}

/** As `undoUse`, for the code of a reward. */
export async function undoUseOfReward(
  tx: Transaction,
  sources: readonly CodeSource[],
  { userId, rewardId }: ClaimReference,
): Promise<void> {
  const claim = await findUserReward(tx, userId, rewardId)
  if (!claim?.redemptionCode) throw new DomainError(rewardProblems.code_not_used)
  await undoUse(tx, sources, { userId, code: claim.redemptionCode })
}
