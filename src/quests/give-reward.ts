/** Gives the reward of a completed period, at most once: the claim of the period decides. */
import type { Transaction } from '../../db/index.ts'
import { giveCollectible } from '../packs/give-collectible.ts'
import { appendEntry } from '../points/ledger.ts'
import { giveReward } from '../rewards/give-reward.ts'
import type { QuestReward } from './definition.ts'
import type { PeriodKey } from './rows.ts'

/** What a claim gave. `rewardId` is null also if the fan had claimed that reward, or its stock was empty. */
export type Given = QuestReward

/** The reference of the ledger entry and of the item. */
export const refOf = ({ questId, period }: Pick<PeriodKey, 'questId' | 'period'>) => `${questId}:${period}`

/** Needs the fan's account to be locked. The collectible comes last: fans share the counter of its serial numbers. */
export async function giveQuestReward(
  tx: Transaction,
  key: PeriodKey,
  { points, rewardId, collectibleId }: QuestReward,
): Promise<Given> {
  const { userId } = key
  const hasReward = rewardId !== null && (await giveReward(tx, userId, rewardId))
  if (points > 0) await appendEntry(tx, { userId, delta: points, reason: 'quest', ref: refOf(key) })
  if (collectibleId !== null)
    await giveCollectible(tx, { userId, collectibleId, givenFor: `quest:${refOf(key)}` })
  return { points, rewardId: hasReward ? rewardId : null, collectibleId }
}
