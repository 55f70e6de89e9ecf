/** Claims a reward for a fan without its threshold, such as for a quest, also if the reward is not active. */
import { and, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { rewardsTag } from '../cache/tags.ts'
import { recordEvent } from '../events/record-event.ts'
import { requireReward, selectReward } from './catalogue.ts'
import { insertClaim, takeOne } from './claim.ts'

/** False if the fan has claimed it before, or if its stock is empty: nothing is written then. */
export async function giveReward(tx: Transaction, userId: string, rewardId: string): Promise<boolean> {
  const { stockRemaining } = await requireReward(tx, rewardId)
  const [claim] = await insertClaim(tx, { userId, rewardId, claimedAt: tx.now() })
  if (!claim) return false
  if (stockRemaining !== null && (await takeOne(tx, rewardId)).length === 0) {
    await deleteClaim(tx, { userId, rewardId })
    return false
  }
  if (stockRemaining !== null) tx.invalidate(rewardsTag)
  await recordEvent(tx, { userId, type: 'reward.claimed', data: { rewardId } })
  return true
}

/** The claim is of this unit of work, so no other one has read it. */
const deleteClaim = prepared(
  (tx: Transaction, { userId, rewardId }: { userId: string; rewardId: string }) => {
    const { userRewards } = tx.tables
    return tx
      .delete(userRewards)
      .where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
  },
)

/** Whether an id is of a reward, active or not. */
export const isReward = async (reader: Reader, id: string): Promise<boolean> =>
  (await selectReward(reader, id)).length > 0
