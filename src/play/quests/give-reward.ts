/** Gives the reward of a completed period at most once: only one claim of the period succeeds. */
import type { Transaction } from '../../../db/index.ts'
import { appendEntry } from '../../economy/points/ledger.ts'
import { giveCollectible } from '../packs/give-collectible.ts'
import { giveReward } from '../rewards/give-reward.ts'
import type { QuestReward } from './quest.ts'
import type { PeriodKey } from './rows.ts'

/** What a claim gave. `rewardId` is also null if the fan had already claimed that reward or its stock was empty. */
export type Given = Omit<QuestReward, 'account'>

/** The reference of the ledger entry and of the item. */
export const refOf = ({ questId, period }: Pick<PeriodKey, 'questId' | 'period'>) => `${questId}:${period}`

/** Requires that the fan's account is locked. */
export async function giveQuestReward(tx: Transaction, key: PeriodKey, reward: QuestReward): Promise<Given> {
  const { userId } = key
  const { points, account } = reward
  if (points > 0)
    await appendEntry(tx, { userId, delta: points, reason: 'quest', ref: refOf(key), accountId: account })
  return { points, ...(await giveItems(tx, key, reward)) }
}

export const hasItems = ({ rewardId, collectibleId }: QuestReward): boolean =>
  rewardId !== null || collectibleId !== null

/** The part of a reward that is not points. The collectible comes last: fans share the counter of its serial numbers. */
export async function giveItems(
  tx: Transaction,
  key: PeriodKey,
  { rewardId, collectibleId }: QuestReward,
): Promise<Pick<Given, 'rewardId' | 'collectibleId'>> {
  const { userId } = key
  const hasReward = rewardId !== null && (await giveReward(tx, userId, rewardId))
  if (collectibleId !== null)
    await giveCollectible(tx, { userId, collectibleId, givenFor: `quest:${refOf(key)}` })
  return { rewardId: hasReward ? rewardId : null, collectibleId }
}
