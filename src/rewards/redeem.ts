/** Redeeming: once, of what was claimed, also when the reward has become inactive since. */
import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import { findUser } from '../identity/users.ts'
import { readBalance } from '../points/ledger.ts'
import { DomainError } from '../problems.ts'
import { fanTopic } from '../views/topics.ts'
import { findUserReward, requireReward } from './catalogue.ts'
import type { RewardReference } from './claim.ts'
import { presentReward } from './present.ts'
import { mintRedemptionCode } from './redemption-code.ts'

/** @throws DomainError `reward_not_found`, `not_claimed`, `already_redeemed` */
export async function redeemReward(tx: Transaction, caller: Caller, { rewardId }: RewardReference) {
  const { userRewards } = tx.tables
  const now = tx.now()
  const reward = await requireReward(tx, rewardId)
  const user = await findUser(tx, caller)
  if (!user) throw new DomainError('not_claimed')

  const [redeemed] = await tx
    .update(userRewards)
    .set({ redeemedAt: now, redemptionCode: mintRedemptionCode(tx.randomBytes(10)) })
    .where(
      and(
        eq(userRewards.userId, user.id),
        eq(userRewards.rewardId, rewardId),
        isNull(userRewards.redeemedAt),
      ),
    )
    .returning()
  if (!redeemed) {
    throw new DomainError((await findUserReward(tx, user.id, rewardId)) ? 'already_redeemed' : 'not_claimed')
  }
  tx.touch(fanTopic(user.id))
  const { balance } = await readBalance(tx, user.id)
  return { reward: presentReward(reward, redeemed, balance, now) }
}
