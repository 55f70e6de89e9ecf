/** The progress that the events of a seeded fan make in the demonstration quests, as the verbs write it. */
import type { Reader } from '../../db/index.ts'
import type { RecordedEvent } from '../../src/economy/events/event.ts'
import type { DataOf } from '../../src/economy/events/types.ts'
import { refOf } from '../../src/play/quests/give-reward.ts'
import { matchStep } from '../../src/play/quests/match-step.ts'
import { type Period, periodAt } from '../../src/play/quests/periods.ts'
import { type Quest, readQuestSet } from '../../src/play/quests/quest.ts'
import { type Counts, isFull } from '../../src/play/quests/state.ts'
import {
  endOfStreak,
  extendStreak,
  type Streak,
  type StreakRules,
  streakOf,
} from '../../src/play/quests/streak.ts'
import { questIds } from './demo-quests.ts'
import type { Ledger } from './ledger-rows.ts'
import type { QuestRows } from './rows.ts'
import type { SeedSources } from './sources.ts'

/** The demonstration quests. Quests that events of the seed update give points, or are claimed by hand. */
export async function readDemoQuests(reader: Reader): Promise<Quest[]> {
  const { byId } = await readQuestSet(reader)
  return questIds.flatMap(id => byId.get(id) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

type Event = Pick<RecordedEvent, 'source' | 'eventId' | 'type' | 'occurredAt' | 'data'>
type Progress = QuestRows['questProgress'][number]

interface FanContext {
  userId: string
  points: Ledger
  sources: SeedSources
  quests: Quest[]
}

/** Counts the events of a fan in their order. Returns a function that takes the next one; `record` records a completion. */
export function createQuestCounter(
  rows: QuestRows,
  { userId, points, sources, quests }: FanContext,
  record: (eventId: string, completion: DataOf<'quest.completed'>) => void,
) {
  const progress = new Map<string, { row: Progress; counts: Counts; values: Set<string> }>()
  const streaks = new Map<string, Streak & QuestRows['questStreaks'][number]>()

  function count(quest: Quest, event: Event) {
    const period = periodAt(quest.current, event.occurredAt)
    const key = { userId, questId: quest.id, period: period.key }
    const name = `${quest.id} ${period.key}`
    if (progress.get(name)?.row.claimedAt) return undefined
    let counted = false
    for (const step of quest.current.steps) {
      const value = matchStep(step, event)
      if (value === undefined) continue
      counted = true
      const { source, eventId } = event
      rows.questCounts.push({ ...key, stepId: step.id, source, eventId, value })
      const found = progress.get(name) ?? addRow(name, { ...key, endsAt: period.endsAt }, quest)
      const distinct = `${step.id} ${value}`
      if (value === null || !found.values.has(distinct))
        found.counts[step.id] = (found.counts[step.id] ?? 0) + 1
      found.values.add(distinct)
      found.row.counts = JSON.stringify(found.counts)
    }
    return counted ? progress.get(name) : undefined
  }

  function addRow(
    name: string,
    key: Pick<Progress, 'userId' | 'questId' | 'period' | 'endsAt'>,
    quest: Quest,
  ) {
    const row: Progress = { ...key, version: quest.version, counts: '{}', createdAt: sources.now() }
    const counts: Counts = {}
    const found = { row, counts, values: new Set<string>() }
    rows.questProgress.push(row)
    progress.set(name, found)
    return found
  }

  function complete(row: Progress, { id: questId, current }: Quest, period: Period) {
    const now = sources.now()
    const eventId = sources.newId()
    row.completedAt = now
    row.completionId = eventId
    const { kind, reward, claim } = current
    if (claim === 'auto') {
      if (reward.points > 0)
        points.book({ delta: reward.points, reason: 'quest', ref: refOf({ questId, period: period.key }) })
      row.claimedAt = now
      const { account: _, ...given } = reward
      row.given = JSON.stringify(given)
    }
    const streak = kind === 'streak' ? extend(questId, period, current) : null
    record(eventId, { questId, kind, period: period.key, streak })
  }

  /** In order, like the events. */
  const completedEnds = (questId: string) =>
    [...progress.values()].flatMap(({ row }) =>
      row.questId === questId && row.completedAt ? (row.endsAt ?? []) : [],
    )

  /** Returns the length of the run. */
  function extend(questId: string, { startsAt, endsAt }: Period, rules: StreakRules): number {
    if (!startsAt || !endsAt) throw new Error('a period of a streak has no bounds')
    const row = streaks.get(questId)
    const streak = extendStreak(row, { startsAt, endsAt }, rules) ?? streakOf(completedEnds(questId), rules)
    if (!streak) throw new Error('a completed period is in no streak')
    const extended = { userId, questId, ...streak, endsAt: endOfStreak(streak, rules) }
    if (row) Object.assign(row, extended)
    else {
      streaks.set(questId, extended)
      rows.questStreaks.push(extended)
    }
    return streak.current
  }

  return (event: Event) => {
    const full = quests.filter(quest => {
      const { active, startsAt, endsAt, current } = quest
      if (!active || !current.steps.some(({ eventType }) => eventType === event.type)) return false
      if ((startsAt && event.occurredAt < startsAt) || (endsAt && endsAt <= event.occurredAt)) return false
      const found = count(quest, event)
      return found && !found.row.completedAt && isFull(current, found.counts)
    })
    for (const quest of full) {
      const period = periodAt(quest.current, event.occurredAt)
      const row = progress.get(`${quest.id} ${period.key}`)?.row
      if (row) complete(row, quest, period)
    }
  }
}
