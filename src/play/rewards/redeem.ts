/** Redeems a claimed reward, once, also if the reward is no longer active. */

import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { readBalance } from '../../economy/points/account.ts'
import { type OwnReward, presentReward } from './present.ts'
import { rewardProblems } from './problems.ts'
import { mintRedemptionCode } from './redemption-code.ts'
import { findUserReward, requireReward } from './rewards.ts'
import type { RewardReference } from './schema.ts'

export async function redeemReward(tx: Transaction, { userId }: Caller, { rewardId }: RewardReference) {
  const now = tx.now()
  const reward = await requireReward(tx, rewardId)
  const redemptionCode = mintRedemptionCode(tx.randomBytes(10))
  const [redeemed] = await updateClaim(tx, userId, rewardId, { redeemedAt: now, redemptionCode })
  if (!redeemed) {
    throw new DomainError(
      (await findUserReward(tx, userId, rewardId))
        ? rewardProblems.already_redeemed
        : rewardProblems.not_claimed,
    )
  }
  await recordEvent(tx, { userId, type: 'reward.redeemed', data: { rewardId } })
  const { balance } = await readBalance(tx, userId)
  return { reward: presentReward(reward, { own: redeemed, points: balance }, now) }
}

type Redemption = Pick<OwnReward, 'redeemedAt' | 'redemptionCode'>

const updateClaim = prepared((tx: Transaction, userId: string, rewardId: string, redemption: Redemption) => {
  const { userRewards } = tx.tables
  const isTheirs = and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId))
  return tx
    .update(userRewards)
    .set(redemption)
    .where(and(isTheirs, isNull(userRewards.redeemedAt)))
    .returning()
})
