/** Claims the reward of a completed period at the fan's request: once, also after the period has ended. */

import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { lockAccount } from '../../economy/points/account.ts'
import { isEligible, requireEligible } from '../eligibility/eligibility.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { deleteCountsOfPeriod } from './counted.ts'
import { giveQuestReward } from './give-reward.ts'
import { currentPeriod } from './periods.ts'
import { presentQuest } from './present.ts'
import { questProblems } from './problems.ts'
import { type Quest, readQuest, versionOf } from './quest.ts'
import { claimPeriod, findProgress } from './rows.ts'
import type { ClaimQuest } from './schema.ts'
import { findStreak, readRun } from './streaks.ts'

/** `periodKey` defaults to the current period. */
export async function claimQuest(tx: Transaction, { userId }: Caller, { questId, periodKey }: ClaimQuest) {
  // What decides who may claim is locked before the fan's ledgers, as in every unit of work.
  const stated = await readQuest(tx, questId)
  if (stated) await isEligible(tx, { userId }, stated.current.eligibility)
  // Progress changes only under this lock, so the version that is read next is at least as new as the progress.
  await lockAccount(tx, userId)
  const quest = await readQuest(tx, questId)
  if (!quest) throw new DomainError(questProblems.quest_not_found)
  const key = { userId, questId, period: periodKey ?? periodNow(quest, tx.now()).key }
  const row = await findProgress(tx, key)
  if (!row?.completedAt)
    throw new DomainError(
      isOver(quest, key.period, tx.now()) ? questProblems.quest_expired : questProblems.quest_not_completed,
    )
  if (row.claimedAt) throw new DomainError(rewardProblems.already_claimed)
  await requireEligible(tx, { userId }, { requires: quest.current.eligibility })

  const given = await giveQuestReward(tx, key, versionOf(quest, row.version).reward)
  const [claimed] = await claimPeriod(tx, key, { claimedAt: tx.now(), given: JSON.stringify(given) })
  if (!claimed) throw new DomainError(rewardProblems.already_claimed)
  await deleteCountsOfPeriod(tx, key)
  const stored = quest.current.kind === 'streak' ? await findStreak(tx, key) : undefined
  const streak = stored && (await readRun(tx, stored, quest.current, tx.now()))
  return { quest: presentQuest({ quest, row: claimed, streak }, tx.now()) }
}

const periodNow = ({ current, endsAt }: Quest, now: Date) => currentPeriod(current, endsAt, now)

/** Compares keys, since the keys of a quest's periods sort by time. */
const isOver = (quest: Quest, period: string, now: Date) =>
  (quest.endsAt !== null && quest.endsAt <= now) || period < periodNow(quest, now).key
