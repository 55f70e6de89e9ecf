import { isAtOnce, readJson } from '../../../core/finding.ts'
import { isInTime } from '../completions.ts'
import { type Given, refOf } from '../give-reward.ts'
import { matchStep, needsData } from '../match-step.ts'
import { periodAt } from '../periods.ts'
import { type QuestDefinition, type QuestSet, versionOf } from '../quest.ts'
import { type Counts, isFull, isSettled, parseCounts } from '../state.ts'
import type { QuestFacts, QuestFinding, Value } from './facts.ts'
import { type QuestHistory, type QuestTerms, termsAt } from './quest-history.ts'

type Event = QuestFacts['recorded'][number]
type Progress = QuestFacts['progress'][number]

/** A time span in which a quest counted as completed. */
interface Span {
  /** Null if the data of the event was deleted: it may be any quest. */
  questId: string | null
  from: Date
  /** Exclusive. Null for a completion that is still valid. */
  until: Date | null
}

/** Spans of valid completions, and of completions that were taken back, whose events are voided. */
export function completionSpans({ progress, recorded }: QuestFacts): Span[] {
  const held = progress.flatMap(({ row: { questId, completedAt } }) =>
    completedAt ? [{ questId, from: completedAt, until: null }] : [],
  )
  const lost = recorded.flatMap(({ source, type, occurredAt, voidedAt, data }) => {
    if (source !== 'matchday' || type !== 'quest.completed' || !occurredAt || !voidedAt) return []
    // Guarantee of the cast: data of events are objects.
    const { questId = null } = data === null ? {} : (JSON.parse(data) as { questId?: unknown })
    return [{ questId: typeof questId === 'string' ? questId : null, from: occurredAt, until: voidedAt }]
  })
  return [...held, ...lost]
}

/** How far the time of an event may be ahead of the clock. */
const AHEAD_MS = 5 * 60_000

/** Whether a period could be completed at an instant: the quest was active, and each requirement was met in time. */
function allowsCompletion(terms: QuestTerms, row: Progress['row'], at: Date, spans: Span[]): boolean {
  const isMet = (id: string) =>
    spans.some(
      ({ questId, from, until }) =>
        (questId ?? id) === id &&
        from <= at &&
        (!until || at < until) &&
        isInTime(new Map([[id, from]]), row, terms),
    )
  const isStarted = !terms.startsAt || terms.startsAt.getTime() <= at.getTime() + AHEAD_MS
  return terms.active && isStarted && terms.requires.every(isMet)
}

interface Known {
  events: Map<string, Event>
  spans: Span[]
  history: QuestHistory
}

export function progressFindings(
  facts: QuestFacts,
  set: QuestSet,
  { row, completionEvent }: Progress,
  known: Known,
): QuestFinding[] {
  const { userId, questId, period } = row
  const findings: QuestFinding[] = []
  const compare = (what: string, expected: Value, actual: Value) => {
    if (expected !== actual) findings.push({ userId, questId, period, what, expected, actual })
  }
  const quest = set.byId.get(questId)
  if (!quest?.versions.has(row.version)) {
    compare('quest_versions.row', row.version, null)
    return findings
  }
  const definition = versionOf(quest, row.version)
  const stored = parseCounts(row.counts)
  const counts = isSwept(facts, row) ? stored : countAgain(facts, definition, row, known.events, compare)
  const versions = termsAt(known.history, questId, row.createdAt, MARGIN_MS).map(({ version }) => version)
  if (!versions.includes(row.version)) compare('quest_progress.version', versions.at(-1) ?? null, row.version)
  for (const { id } of definition.steps)
    compare(`quest_progress.counts of ${id}`, counts[id] ?? 0, stored[id] ?? 0)

  const { completedAt } = row
  const allowed = termsAt(known.history, questId, completedAt ?? facts.now, MARGIN_MS).map(terms =>
    allowsCompletion(terms, row, completedAt ?? facts.now, known.spans),
  )
  // If two versions have about the same time, either may have applied.
  const isDue = completedAt ? allowed.includes(true) : !allowed.includes(false)
  const due = isFull(definition, counts) && isDue
  compare('quest_progress.completed_at', due ? 'set' : null, completedAt && 'set')
  if (row.completedAt) {
    compare('the event quest.completed', row.completionId, completionEvent?.eventId ?? null)
    compare('the type of its event', 'quest.completed', completionEvent?.type ?? null)
    // Guarantee of the cast: the application writes the data by its schema.
    const told = readJson(completionEvent?.data ?? null) as
      | Record<'questId' | 'period', string>
      | null
      | undefined
    if (told) compare('the period of its event', `${questId} ${period}`, `${told.questId} ${told.period}`)
    compare(
      'quest_progress.completed_at',
      completionEvent?.occurredAt?.toISOString() ?? null,
      row.completedAt.toISOString(),
    )
    compare('events.voided_at of quest.completed', null, completionEvent?.voidedAt ? 'set' : null)
  }
  // Guarantee of the cast: only the room writes the column.
  const given = row.given === null ? null : (JSON.parse(row.given) as Given)
  if (given) {
    const { points, rewardId, collectibleId } = definition.reward
    compare('quest_versions.entry: reward.points', given.points, points)
    compare('quest_versions.entry: reward.collectibleId', given.collectibleId, collectibleId)
    // Not given if the fan had it already, or when the stock was empty.
    if (given.rewardId) compare('quest_versions.entry: reward.rewardId', given.rewardId, rewardId)
  }
  const ref = refOf(row)
  const entry = facts.entries.find(known => known.ref === ref)
  compare('points_entries.delta', given?.points || null, entry?.delta ?? null)
  if (entry && row.claimedAt && !isAtOnce(entry.createdAt, row.claimedAt))
    compare('quest_progress.claimed_at', entry.createdAt.toISOString(), row.claimedAt.toISOString())
  const item = facts.items.find(({ givenFor }) => givenFor === `quest:${ref}`)
  compare('user_items.collectible_id', given?.collectibleId ?? null, item?.collectibleId ?? null)
  return findings
}

/** Whether the counted events of a period are deleted: all at once. */
export const isSwept = ({ counted, now }: QuestFacts, row: Progress['row']): boolean =>
  isSettled(row, now) &&
  !counted.some(({ questId, period }) => questId === row.questId && period === row.period)

/** Counts again from the counted events, each of which must match its step. */
function countAgain(
  { counted }: QuestFacts,
  definition: QuestDefinition,
  { questId, period, endsAt, claimedAt }: Progress['row'],
  events: Map<string, Event>,
  compare: (what: string, expected: Value, actual: Value) => void,
): Counts {
  const counts: Counts = {}
  for (const step of definition.steps) {
    const values = new Set<string>()
    for (const count of counted) {
      if (count.questId !== questId || count.period !== period || count.stepId !== step.id) continue
      const { source, eventId, value } = count
      const event = events.get(`${source} ${eventId}`)
      const what = `counted event ${source} ${eventId} of ${step.id}`
      if (!event?.type || !event.occurredAt) compare(what, 'an event of the fan', null)
      else {
        const { key, endsAt: end } = periodAt(definition, event.occurredAt)
        compare(`${what}: period`, period, key)
        compare('quest_progress.ends_at', end?.toISOString() ?? null, endsAt?.toISOString() ?? null)
        if (!claimedAt) compare(`${what}: voided`, null, event.voidedAt && 'set')
        const found = matchOf(step, event)
        if (found !== UNKNOWN) compare(`${what}: value`, value, found === undefined ? 'no match' : found)
      }
      values.add(value ?? `${source} ${eventId}`)
    }
    if (values.size > 0) counts[step.id] = values.size
  }
  return counts
}

/** Retention deletes the data of old events, so it is unknown whether they met conditions. */
export const UNKNOWN = Symbol('unknown')

export function matchOf(step: QuestDefinition['steps'][number], { type, data }: Event) {
  if (data === null && needsData(step)) return UNKNOWN
  return matchStep(step, { type: type ?? '', data: JSON.parse(data ?? '{}') })
}

/** An import and an event at about the same time may or may not see each other. */
export const MARGIN_MS = 60_000
