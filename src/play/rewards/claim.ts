/** Claims a reward: requires the points but does not spend them; one claim per fan; never more claims than the stock. */

import { and, eq, gt, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { balanceOf } from '../../economy/points/history.ts'
import { insufficientPoints } from '../../economy/points/ledger.ts'
import { rewardsTag } from '../../platform/cache/tags.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { findBlockers, presentReward } from './present.ts'
import { rewardProblems } from './problems.ts'
import type { RewardReference } from './schema.ts'

export async function claimReward(
  tx: Transaction,
  { userId }: Caller,
  { rewardId }: RewardReference,
): Promise<{ reward: ReturnType<typeof presentReward> }> {
  const now = tx.now()
  const [found] = await selectClaimable(tx, rewardId, userId)
  if (!found) throw new DomainError(rewardProblems.reward_not_found)
  const { reward, points, own } = found
  const [blocker] = findBlockers(reward, { own: own ?? undefined, points }, now)
  if (blocker === 'reward_inactive') throw new DomainError(rewardProblems[blocker])
  if (blocker === 'insufficient_points') throw insufficientPoints(reward.pointsRequired, points)
  if (blocker === 'already_claimed') throw new DomainError(rewardProblems[blocker])
  await requireEligible(tx, { userId }, { requires: requiresOf(reward) })
  if (blocker === 'out_of_stock') throw outOfStock()

  // The primary key and the condition on the stock decide between concurrent claims.
  const [claim] = await insertClaim(tx, { userId, rewardId, claimedAt: now })
  if (!claim) throw new DomainError(rewardProblems.already_claimed)
  await recordEvent(tx, { userId, type: 'reward.claimed', data: { rewardId } })
  // Last, because all claims of a reward share its row, which PostgreSQL locks until the commit.
  const [left] = reward.stockRemaining === null ? [] : await takeOne(tx, rewardId)
  if (reward.stockRemaining !== null && !left) throw outOfStock()
  // Every list of rewards contains the stock.
  if (left) tx.invalidate(rewardsTag)
  const claimed = { rewardId, ...claim, redeemedAt: null, redemptionCode: null }
  return { reward: presentReward({ ...reward, ...left }, { own: claimed, points }, now) }
}

const outOfStock = () => new DomainError(rewardProblems.out_of_stock, {})

/** Everything that a claim depends on, in one statement. */
const selectClaimable = prepared((reader: Reader, rewardId: string, userId: string) => {
  const { rewards, userRewards } = reader.tables
  const { claimedAt, redeemedAt, redemptionCode } = userRewards
  return reader
    .select({
      reward: rewards,
      points: balanceOf(reader, userId),
      own: { rewardId: userRewards.rewardId, claimedAt, redeemedAt, redemptionCode },
    })
    .from(rewards)
    .leftJoin(userRewards, and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewards.id)))
    .where(eq(rewards.id, rewardId))
})

export const insertClaim = prepared((tx: Transaction, claim: Tables['userRewards']['$inferInsert']) => {
  const { userRewards } = tx.tables
  return tx
    .insert(userRewards)
    .values(claim)
    .onConflictDoNothing()
    .returning({ claimedAt: userRewards.claimedAt })
})

/** Returns no row if the stock is empty. */
export const takeOne = prepared((tx: Transaction, rewardId: string) => {
  const { rewards } = tx.tables
  return tx
    .update(rewards)
    .set({ stockRemaining: sql`${rewards.stockRemaining} - 1` })
    .where(and(eq(rewards.id, rewardId), gt(rewards.stockRemaining, 0)))
    .returning({ stockRemaining: rewards.stockRemaining })
})
