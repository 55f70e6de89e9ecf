/**
 * Updates quests with the events of fans, in the unit of work that records or voids the events. A period with all steps done
 * and its requirements met in time is completed. A completion is an event too and may update further quests. This ends,
 * because a period is completed only once.
 */
import { isActive, isWithin } from '../../club/catalogue/availability.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import type { EventReader, Reaction, Recording } from '../../economy/events/readers.ts'
import { applicationEvent } from '../../economy/events/record-event.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import { type Count, openCounted } from './counted.ts'
import { type Quest, type QuestDefinition, type QuestSet, readQuestSet, versionOf } from './definition.ts'
import { type Given, giveItems, hasItems, refOf } from './give-reward.ts'
import { matchStep } from './match-step.ts'
import { periodAt } from './periods.ts'
import { openProgress } from './progress.ts'
import { type PeriodKey, type ProgressRow, type QuestKey, updateGiven } from './rows.ts'
import { earlier, isFull, parseCounts } from './state.ts'

const COMPLETED = 'quest.completed'

export interface QuestBook extends Reaction {
  /** Counts an event for a quest, even if it may have been counted before. False if it counts for no further step. */
  countOnce(quest: Quest, event: NewEvent): Promise<boolean>
  /** Completes or reopens the unclaimed periods of a quest from its counts. Returns how many it completed. */
  updateQuest(key: QuestKey): Promise<number>
}

export const questReader: EventReader<QuestBook> = {
  async load(tx) {
    const set = await readQuestSet(tx)
    return { listensTo: type => set.byEventType.has(type), open: recording => openQuests(recording, set) }
  },
}

function openQuests(recording: Recording, set: QuestSet): QuestBook {
  const { tx, ledgers } = recording
  const now = tx.now()
  const progress = openProgress(tx)
  const counted = openCounted(tx)

  /** The quests that an event may update, each with the period of the event. */
  const movedBy = ({ type, occurredAt, userId }: NewEvent): { quest: Quest; key: PeriodKey }[] =>
    (set.byEventType.get(type) ?? [])
      .filter(quest => isWithin(quest, occurredAt))
      .map(quest => {
        const period = periodAt(quest.current, occurredAt).key
        return { quest, key: { userId, questId: quest.id, period } }
      })

  async function load(events: NewEvent[]) {
    // Completions of these quests are events too.
    const completions = set.byEventType.has(COMPLETED)
      ? [...new Set(events.map(({ userId }) => userId))].map(userId => completionOf(userId))
      : []
    const moved = [...events, ...completions].flatMap(event => movedBy(event).map(of => ({ ...of, event })))
    await progress.load(moved.map(({ key }) => key))
    const values: Count[] = []
    for (const { quest, key, event } of moved) {
      const row = await progress.find(key)
      const { steps } = row ? versionOf(quest, row.version) : quest.current
      for (const step of steps) {
        const value = step.distinctBy === null ? undefined : matchStep(step, event)
        if (value) values.push(countOf(key, step.id, event, value))
      }
    }
    await counted.loadValues(values)
    await progress.loadStreaks(
      moved.flatMap(({ quest, key }) => (quest.current.kind === 'streak' ? [key] : [])),
    )
    await progress.loadQuests(moved.flatMap(({ quest, key }) => relatedTo(quest, key)))
  }

  /** The data of a future completion is unknown, so conditions on it are checked when the completion is recorded. */
  const completionOf = (userId: string): NewEvent => ({
    source: APPLICATION,
    eventId: '',
    userId,
    type: COMPLETED,
    occurredAt: now,
    data: {},
  })

  /** The quests that a quest requires, and the quests that require it. */
  const relatedTo = ({ id, current }: Quest, { userId }: QuestKey): QuestKey[] =>
    [...current.requires, ...(set.dependents.get(id) ?? []).map(quest => quest.id)].map(questId => ({
      userId,
      questId,
    }))

  async function onEvent(event: NewEvent) {
    const full: PeriodKey[] = []
    for (const { quest, key } of movedBy(event)) {
      const row = await progress.find(key)
      if (row?.claimedAt) continue
      const after = await count(quest, event, row)
      if (after && !after.completedAt && isFull(versionOf(quest, after.version), parseCounts(after.counts)))
        full.push(key)
    }
    // After all counts, since a completion may update other quests.
    for (const key of full) await updateCompletion(key)
  }

  /** Counts the event for each matching step of the period's version. Undefined if no step matches. */
  async function count(quest: Quest, event: NewEvent, row: ProgressRow | undefined, isNew = true) {
    const definition = row ? versionOf(quest, row.version) : quest.current
    const period = periodAt(definition, event.occurredAt)
    const key = { userId: event.userId, questId: quest.id, period: period.key }
    const counts = row ? parseCounts(row.counts) : {}
    let isCounted = false
    for (const step of definition.steps) {
      const value = matchStep(step, event)
      if (value === undefined) continue
      const own = countOf(key, step.id, event, value)
      if (!isNew && (await counted.has(own))) continue
      const isRepeated = value !== null && (await counted.hasValue({ ...own, value }))
      counted.add(own)
      isCounted = true
      if (!isRepeated) counts[step.id] = (counts[step.id] ?? 0) + 1
    }
    if (!isCounted) return undefined
    const text = JSON.stringify(counts)
    if (row) progress.change(row, { counts: text })
    else {
      const { version } = quest
      progress.add({ ...key, endsAt: period.endsAt, version, counts: text, createdAt: now, ...INCOMPLETE })
    }
    return progress.find(key)
  }

  async function updateCompletion(key: PeriodKey): Promise<void> {
    const quest = set.byId.get(key.questId)
    const row = await progress.find(key)
    if (!quest || !row || row.claimedAt) return
    const definition = versionOf(quest, row.version)
    const { requires } = quest.current
    const completions = await readCompletions(key.userId, requires)
    const isComplete = isFull(definition, parseCounts(row.counts)) && completions.size === requires.length
    if (row.completedAt ? isComplete : !isComplete || !isInTime(completions, row, quest)) return
    await (isComplete ? completePeriod(row, definition) : reopenPeriod(row, definition))
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

  async function completePeriod(row: ProgressRow, { kind, reward, claim, ...rules }: QuestDefinition) {
    const { userId, questId, period, endsAt } = row
    const completionId = tx.newId()
    progress.change(row, { completedAt: now, completionId })
    // Otherwise the fan can claim the reward by hand.
    if (claim === 'auto' && ledgers.hasRoom(userId, reward.points)) {
      if (reward.points > 0)
        ledgers.append({ userId, delta: reward.points, reason: 'quest', ref: refOf(row) })
      const given: Given = { points: reward.points, rewardId: null, collectibleId: reward.collectibleId }
      progress.change(row, { claimedAt: now, given: JSON.stringify(given) })
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

  /** The event for its fan, and for the fans to which merges have copied its counts. */
  const countedAs = (event: NewEvent): NewEvent[] =>
    ledgers.fansOf(event.userId).map(userId => ({ ...event, userId }))

  async function loadVoids(events: NewEvent[]) {
    const all = events.flatMap(countedAs)
    await counted.loadEvents(all)
    const counts = (await Promise.all(all.map(event => counted.listOf(event)))).flat()
    await progress.load(counts)
    await counted.loadPeriods(counts)
    const rows = await Promise.all(counts.map(key => progress.find(key)))
    // These completions may be taken back.
    const completions = rows.flatMap(row => (row?.completionId && !row.claimedAt ? [row.completionId] : []))
    if (completions.length > 0)
      await recording.loadVoids([...new Set(completions)].map(eventId => ({ source: APPLICATION, eventId })))
  }

  /** Takes the event out of periods that are not claimed, whether or not their quests are active. */
  async function onVoid(event: NewEvent) {
    const counts = (await Promise.all(countedAs(event).map(one => counted.listOf(one)))).flat()
    const nameOfPeriod = ({ userId, questId, period }: PeriodKey) => `${userId} ${questId} ${period}`
    for (const own of Map.groupBy(counts, nameOfPeriod).values()) {
      const [key] = own
      const row = key && (await progress.find(key))
      if (!row || row.claimedAt) continue
      for (const count of own) await counted.remove(count)
      const quest = set.byId.get(row.questId)
      if (!quest) continue
      const counts = await counted.recount(row, versionOf(quest, row.version))
      progress.change(row, { counts: JSON.stringify(counts) })
      if (row.completedAt) await updateCompletion(row)
    }
  }

  return {
    load,
    onEvent,
    loadVoids,
    onVoid,
    async countOnce(quest, event) {
      const period = periodAt(quest.current, event.occurredAt).key
      const row = await progress.find({ userId: event.userId, questId: quest.id, period })
      if (row?.claimedAt) return false
      return (await count(quest, event, row, false)) !== undefined
    },
    async updateQuest(key) {
      const open = (await progress.listPeriods(key)).filter(({ claimedAt }) => claimedAt === null)
      const isCompleted = ({ completedAt }: ProgressRow) => completedAt !== null
      const before = open.filter(isCompleted).length
      for (const row of open) await updateCompletion(row)
      return open.filter(isCompleted).length - before
    },
    async write() {
      await progress.write()
      await counted.write()
    },
  }
}

const INCOMPLETE = {
  completedAt: null,
  completionId: null,
  claimedAt: null,
  given: null,
  carriedFrom: null,
}

const countOf = (
  { userId, questId, period }: PeriodKey,
  stepId: string,
  { source, eventId }: NewEvent,
  value: string | null,
): Count => ({ userId, questId, period, stepId, source, eventId, value })

/** Whether each requirement was completed before the period and the quest ended. Later completions do not count. */
export function isInTime(
  completions: ReadonlyMap<string, Date>,
  period: Pick<ProgressRow, 'endsAt'>,
  quest: { endsAt: Date | null },
): boolean {
  const until = earlier(period.endsAt, quest.endsAt)
  return !until || [...completions.values()].every(at => at < until)
}
