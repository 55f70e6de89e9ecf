/** Gives a fan a reward without its threshold, for example for a quest, also if the reward is not active. */
import { ConflictError, type Deferred, type Reader, type Transaction } from '../../../db/index.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { rewardsTag } from '../../platform/cache/tags.ts'
import { insertClaim, takeOne } from './claim.ts'
import { findReward } from './rewards.ts'

/** Returns false and writes nothing if the fan has already claimed it or its stock is empty. */
export async function giveReward(tx: Transaction, userId: string, rewardId: string): Promise<boolean> {
  const reward = await findReward(tx, rewardId)
  if (!reward) throw new Error('a reward that is given does not exist')
  const { stockRemaining } = reward
  const given = tx.deferred(givenOfStock)
  const own = (given.get(rewardId) ?? 0) + 1
  if (stockRemaining !== null && stockRemaining < own) return false
  const [claim] = await insertClaim(tx, { userId, rewardId, claimedAt: tx.now() })
  if (!claim) return false
  if (stockRemaining !== null) {
    given.set(rewardId, own)
    tx.invalidate(rewardsTag)
  }
  await recordEvent(tx, { userId, type: 'reward.claimed', data: { rewardId } })
  return true
}

/**
 * Units of stock to take at the end of the unit of work, since fans share the row. If others have taken them, the unit of
 * work runs again.
 */
const givenOfStock: Deferred<Map<string, number>> = {
  // As in a claim: before the budgets of rules for its event.
  order: 0,
  start: () => new Map(),
  async write(tx, given) {
    for (const [rewardId, count] of [...given].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      for (let taken = 0; taken < count; taken++)
        if ((await takeOne(tx, rewardId)).length === 0) throw new ConflictError('a stock was taken meanwhile')
    return []
  },
}

/** Whether an id is of a reward, active or not. */
export const isReward = async (reader: Reader, id: string): Promise<boolean> =>
  (await findReward(reader, id)) !== undefined
