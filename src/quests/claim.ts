/** Claims the reward of a completed period by hand, once, also after the period has ended. */
import type { Transaction } from '../../db/index.ts'
import type { Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'
import { lockAccount } from '../points/ledger.ts'
import { ensureUserId } from '../users/users.ts'
import { type Quest, readQuest, versionOf } from './definition.ts'
import { giveQuestReward } from './give-reward.ts'
import { currentPeriod } from './periods.ts'
import { presentQuest } from './present.ts'
import { findProgress, updateClaimable } from './rows.ts'
import type { ClaimQuest } from './schema.ts'
import { findStreak } from './update-streak.ts'

/** `periodKey` defaults to the current period. */
export async function claimQuest(tx: Transaction, caller: Caller, { questId, periodKey }: ClaimQuest) {
  const userId = await ensureUserId(tx, caller)
  // First: every change of progress is made under this lock, by a version that is committed by then.
  await lockAccount(tx, userId)
  const quest = await readQuest(tx, questId)
  if (!quest) throw new DomainError('quest_not_found')
  const key = { userId, questId, period: periodKey ?? periodNow(quest, tx.now()).key }
  const row = await findProgress(tx, key)
  if (!row?.completedAt)
    throw new DomainError(isOver(quest, key.period, tx.now()) ? 'quest_expired' : 'quest_not_completed')
  if (row.claimedAt) throw new DomainError('already_claimed')

  const given = await giveQuestReward(tx, key, versionOf(quest, row.version).reward)
  const [claimed] = await updateClaimable(tx, key, { claimedAt: tx.now(), given: JSON.stringify(given) })
  if (!claimed) throw new DomainError('already_claimed')
  const streak = quest.current.kind === 'streak' ? await findStreak(tx, key) : undefined
  return { quest: presentQuest({ quest, row: claimed, streak }, tx.now()) }
}
claimQuest.problems = ['quest_not_found', 'quest_not_completed', 'already_claimed', 'quest_expired'] as const

const periodNow = ({ current, endsAt }: Quest, now: Date) => currentPeriod(current, endsAt, now)

/** The keys of a quest's periods are in the order of time. */
const isOver = (quest: Quest, period: string, now: Date) =>
  (quest.endsAt !== null && quest.endsAt <= now) || period < periodNow(quest, now).key
