/**
 * Updates quests with the events of fans, in the unit of work that records or voids the events. A period with all steps done
 * and its requirements met in time is completed. A completion is an event too and may update further quests. This ends,
 * because a period is completed only once.
 */
import { isWithin } from '../../club/catalogue/availability.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import type { EventReader, Reaction, Recording } from '../../economy/events/readers.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import { COMPLETED, openCompletions } from './completions.ts'
import { type Count, openCounted } from './counted.ts'
import { type Quest, type QuestSet, readQuestSet, versionOf } from './definition.ts'
import { matchStep } from './match-step.ts'
import { periodAt } from './periods.ts'
import { openProgress } from './progress.ts'
import type { PeriodKey, ProgressRow, QuestKey } from './rows.ts'
import { isFull, parseCounts } from './state.ts'

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
  const { updateCompletion, updateQuest } = openCompletions(recording, set, progress)

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
    updateQuest,
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
