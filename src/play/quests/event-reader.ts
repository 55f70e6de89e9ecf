/**
 * Updates quests with the events of fans, in the unit of work that records or voids the events. A period with all steps done
 * and its requirements met in time is completed. A completion is an event too and may update further quests. This ends,
 * because a period is completed only once.
 */
import { isWithin } from '../../club/catalogue/availability.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import type { EventReader, Reaction, Recording } from '../../economy/events/readers.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import { COMPLETED, type Completions, openCompletions } from './completions.ts'
import { type Count, type Counted, openCounted } from './counted.ts'
import { matchStep } from './match-step.ts'
import { periodAt } from './periods.ts'
import { openProgress, type Progress } from './progress.ts'
import { type Quest, type QuestSet, readQuestSet, versionOf } from './quest.ts'
import type { PeriodKey, ProgressRow, QuestKey } from './rows.ts'
import { isFull, isSettled, parseCounts } from './state.ts'

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

/** Everything that the events of a unit of work may change, in memory. */
interface Work {
  recording: Recording
  set: QuestSet
  now: Date
  progress: Progress
  counted: Counted
  completions: Completions
}

function openQuests(recording: Recording, set: QuestSet): QuestBook {
  const { tx } = recording
  const progress = openProgress(tx)
  const counted = openCounted(tx)
  const completions = openCompletions(recording, set, { progress, counted })
  const work = { recording, set, now: tx.now(), progress, counted, completions }
  return {
    load: events => loadForEvents(work, events),
    onEvent: event => countEvent(work, event),
    loadVoids: events => loadForVoids(work, events),
    onVoid: event => takeOut(work, event),
    countOnce: (quest, event) => countOnce(work, quest, event),
    updateQuest: completions.updateQuest,
    async write() {
      await progress.write()
      await counted.write()
    },
  }
}

/** A quest that an event may update, with the period of the event. */
interface Moved {
  quest: Quest
  key: PeriodKey
  event: NewEvent
}

const movedBy = ({ set }: Work, event: NewEvent): Moved[] =>
  (set.byEventType.get(event.type) ?? [])
    .filter(quest => isWithin(quest, event.occurredAt))
    .map(quest => {
      const period = periodAt(quest.current, event.occurredAt).key
      return { quest, key: { userId: event.userId, questId: quest.id, period }, event }
    })

/** Reads what these events may change, for all fans together. */
async function loadForEvents(work: Work, events: NewEvent[]) {
  const { progress, counted } = work
  const moved = [...events, ...completionsOf(work, events)].flatMap(event => movedBy(work, event))
  await progress.load(moved.map(({ key }) => key))
  await counted.loadValues((await Promise.all(moved.map(one => distinctValues(work, one)))).flat())
  await progress.loadStreaks(
    moved.flatMap(({ quest, key }) => (quest.current.kind === 'streak' ? [key] : [])),
  )
  await progress.loadQuests(moved.flatMap(({ quest, key }) => relatedTo(work, quest, key)))
}

/**
 * The completions that may follow, which are events too. Their data is unknown yet, so conditions on it are checked when a
 * completion is recorded.
 */
function completionsOf({ set, now }: Work, events: NewEvent[]): NewEvent[] {
  if (!set.byEventType.has(COMPLETED)) return []
  const fans = [...new Set(events.map(({ userId }) => userId))]
  const completion = { source: APPLICATION, eventId: '', type: COMPLETED, occurredAt: now, data: {} }
  return fans.map(userId => ({ ...completion, userId }))
}

/** The values of the event that steps with `distinctBy` count once. */
async function distinctValues({ progress }: Work, { quest, key, event }: Moved): Promise<Count[]> {
  const row = await progress.find(key)
  const { steps } = row ? versionOf(quest, row.version) : quest.current
  return steps.flatMap(step => {
    const value = step.distinctBy === null ? undefined : matchStep(step, event)
    return value ? [countOf(key, step.id, event, value)] : []
  })
}

/** The quests that a quest requires, and the quests that require it. */
const relatedTo = ({ set }: Work, { id, current }: Quest, { userId }: QuestKey): QuestKey[] =>
  [...current.requires, ...(set.dependents.get(id) ?? []).map(quest => quest.id)].map(questId => ({
    userId,
    questId,
  }))

/** Counts an event for each quest that listens to it, then completes the periods that are full. */
async function countEvent(work: Work, event: NewEvent) {
  const { progress, completions } = work
  const full: PeriodKey[] = []
  for (const { quest, key } of movedBy(work, event)) {
    const row = await progress.find(key)
    if (row?.claimedAt) continue
    const after = await count(work, quest, event, row)
    if (after && !after.completedAt && isFull(versionOf(quest, after.version), parseCounts(after.counts)))
      full.push(key)
  }
  // After all counts, since a completion may update other quests.
  for (const key of full) await completions.updateCompletion(key)
}

async function countOnce(work: Work, quest: Quest, event: NewEvent): Promise<boolean> {
  const period = periodAt(quest.current, event.occurredAt).key
  const row = await work.progress.find({ userId: event.userId, questId: quest.id, period })
  if (row && isSettled(row, work.now)) return false
  return (await count(work, quest, event, row, false)) !== undefined
}

/** Counts the event for each matching step of the period's version. Undefined if no step matches, or if the fan is not in its segment. */
async function count(
  { recording, progress, counted, now }: Work,
  quest: Quest,
  event: NewEvent,
  row: ProgressRow | undefined,
  isNew = true,
) {
  const definition = row ? versionOf(quest, row.version) : quest.current
  const period = periodAt(definition, event.occurredAt)
  const key = { userId: event.userId, questId: quest.id, period: period.key }
  const counts = row ? parseCounts(row.counts) : {}
  let isCounted = false
  for (const step of definition.steps) {
    const value = matchStep(step, event)
    if (value === undefined) continue
    if (definition.fan !== null && !(await recording.isInSegment(event.userId, definition.fan))) break
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

/** What an event counts for: its fan, and the fans to which merges have copied its counts. */
async function countsOf({ recording, counted }: Work, event: NewEvent): Promise<Count[]> {
  const fans = recording.ledgers.fansOf(event.userId)
  return (await Promise.all(fans.map(userId => counted.listOf({ ...event, userId })))).flat()
}

/** Reads what voids of these events may change, for all fans together. */
async function loadForVoids(work: Work, events: NewEvent[]) {
  const { recording, progress, counted } = work
  const { fansOf } = recording.ledgers
  await counted.loadEvents(
    events.flatMap(event => fansOf(event.userId).map(userId => ({ ...event, userId }))),
  )
  const counts = (await Promise.all(events.map(event => countsOf(work, event)))).flat()
  await progress.load(counts)
  await counted.loadPeriods(counts)
  const rows = await Promise.all(counts.map(key => progress.find(key)))
  // These completions may be taken back.
  const completions = rows.flatMap(row => (row?.completionId && !row.claimedAt ? [row.completionId] : []))
  if (completions.length > 0)
    await recording.loadVoids([...new Set(completions)].map(eventId => ({ source: APPLICATION, eventId })))
}

/** Takes the event out of periods that are not claimed, whether or not their quests are active. */
async function takeOut(work: Work, event: NewEvent) {
  const { set, progress, counted, completions } = work
  const nameOfPeriod = ({ userId, questId, period }: PeriodKey) => `${userId} ${questId} ${period}`
  for (const own of Map.groupBy(await countsOf(work, event), nameOfPeriod).values()) {
    const [key] = own
    const row = key && (await progress.find(key))
    if (!row || row.claimedAt) continue
    for (const count of own) await counted.remove(count)
    const quest = set.byId.get(row.questId)
    if (!quest) continue
    const counts = await counted.recount(row, versionOf(quest, row.version))
    progress.change(row, { counts: JSON.stringify(counts) })
    if (row.completedAt) await completions.updateCompletion(row)
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
