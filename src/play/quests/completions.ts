/** Completes and reopens periods of quests from their counts, and then updates the quests that depend on them. */
import { withoutLocks } from '../../../db/row-lock.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import type { Recording } from '../../economy/events/readers.ts'
import { applicationEvent } from '../../economy/events/record-event.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import { isEligible } from '../eligibility/eligibility.ts'
import type { Counted } from './counted.ts'
import { type Given, giveItems, hasItems, refOf } from './give-reward.ts'
import type { Progress } from './progress.ts'
import { type QuestDefinition, type QuestSet, versionOf } from './quest.ts'
import { type PeriodKey, type ProgressRow, type QuestKey, updateGiven } from './rows.ts'
import { earlier, isFull, parseCounts } from './state.ts'

export const COMPLETED = 'quest.completed'

export type Completions = ReturnType<typeof openCompletions>

export function openCompletions(
  recording: Recording,
  set: QuestSet,
  { progress, counted }: { progress: Progress; counted: Pick<Counted, 'settle'> },
) {
  const { tx, ledgers } = recording
  const now = tx.now()

  async function updateCompletion(key: PeriodKey): Promise<void> {
    const quest = set.byId.get(key.questId)
    const row = await progress.find(key)
    if (!quest || !row || row.claimedAt) return
    const definition = versionOf(quest, row.version)
    const { requires } = quest.current
    const completions = await readCompletions(key.userId, requires)
    const isComplete = isFull(definition, parseCounts(row.counts)) && completions.size === requires.length
    if (row.completedAt ? isComplete : !isComplete || !isInTime(completions, row, quest)) return
    await (isComplete ? completePeriod(row, definition, quest.current) : reopenPeriod(row, definition))
    for (const dependent of set.dependents.get(key.questId) ?? []) {
      const isOn = isActive(dependent, now)
      const periods = await progress.listPeriods({ userId: key.userId, questId: dependent.id })
      for (const period of periods)
        if (!period.claimedAt && (period.completedAt || isOn)) await updateCompletion(period)
    }
  }

  /** The time when the fan first completed each of these quests. */
  async function readCompletions(userId: string, questIds: string[]): Promise<Map<string, Date>> {
    const completions = new Map<string, Date>()
    for (const questId of questIds) {
      const times = (await progress.listPeriods({ userId, questId })).flatMap(
        ({ completedAt }) => completedAt ?? [],
      )
      const [first] = times.toSorted((a, b) => a.getTime() - b.getTime())
      if (first) completions.set(questId, first)
    }
    return completions
  }

  async function completePeriod(
    row: ProgressRow,
    { kind, reward, claim, ...rules }: QuestDefinition,
    { eligibility }: QuestDefinition,
  ) {
    const { userId, questId, period, endsAt } = row
    const completionId = tx.newId()
    progress.change(row, { completedAt: now, completionId })
    // Otherwise the fan can claim the reward by hand.
    if (
      claim === 'auto' &&
      ledgers.hasRoom(userId, reward.points) &&
      // The ledger is locked, and what decides comes before it: a lock of it now would deadlock with what changes it.
      (await isEligible(withoutLocks(tx), { userId }, eligibility))
    ) {
      const { points, account: accountId, collectibleId } = reward
      if (accountId !== null && points > 0) await ledgers.loadAccounts([{ userId, accountId }])
      // never points_limit_reached: the account has room.
      if (points > 0) ledgers.append({ userId, delta: points, reason: 'quest', ref: refOf(row), accountId })
      const given: Given = { points, rewardId: null, collectibleId }
      progress.change(row, { claimedAt: now, given: JSON.stringify(given) })
      counted.settle(row)
      if (hasItems(reward))
        recording.afterwards(userId, async () => {
          const items = await giveItems(tx, row, reward)
          if (items.rewardId !== null) await updateGiven(tx, row, JSON.stringify({ ...given, ...items }))
        })
    }
    const streak = kind === 'streak' ? await progress.updateStreak(row, rules, endsAt) : null
    const data = { questId, kind, period, streak }
    await recording.record(applicationEvent(tx, { userId, type: COMPLETED, eventId: completionId, data }))
  }

  async function reopenPeriod(row: ProgressRow, { kind, ...rules }: QuestDefinition) {
    const { completionId } = row
    if (completionId === null) return
    progress.change(row, { completedAt: null, completionId: null })
    if (kind === 'streak') await progress.updateStreak(row, rules, null)
    await recording.void({ source: APPLICATION, eventId: completionId })
  }

  /** As `QuestBook.updateQuest`. */
  async function updateQuest(key: QuestKey): Promise<number> {
    const open = (await progress.listPeriods(key)).filter(({ claimedAt }) => claimedAt === null)
    const isCompleted = ({ completedAt }: ProgressRow) => completedAt !== null
    const before = open.filter(isCompleted).length
    for (const row of open) await updateCompletion(row)
    return open.filter(isCompleted).length - before
  }

  return { updateCompletion, updateQuest }
}

/** Whether each requirement was completed before the period and the quest ended. Later completions do not count. */
export function isInTime(
  completions: ReadonlyMap<string, Date>,
  period: Pick<ProgressRow, 'endsAt'>,
  quest: { endsAt: Date | null },
): boolean {
  const until = earlier(period.endsAt, quest.endsAt)
  return !until || [...completions.values()].every(at => at < until)
}
