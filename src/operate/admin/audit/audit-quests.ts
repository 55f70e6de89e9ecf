/** Recomputes a fan's progress, completions and streaks from their events, and compares the rewards that were given. */

import { isWithin } from '../../../club/catalogue/availability.ts'
import { isInTime } from '../../../play/quests/completions.ts'
import { type QuestDefinition, type QuestSet, versionOf } from '../../../play/quests/definition.ts'
import { type Given, refOf } from '../../../play/quests/give-reward.ts'
import { matchStep, needsData } from '../../../play/quests/match-step.ts'
import { periodAt } from '../../../play/quests/periods.ts'
import { type Counts, isFull, parseCounts } from '../../../play/quests/state.ts'
import { endOfStreak, type Streak, streakOf } from '../../../play/quests/streak.ts'
import { isAtOnce, readJson } from './finding.ts'
import type { QuestFacts } from './quest-facts.ts'
import { type QuestHistory, type QuestTerms, termsAt } from './quest-history.ts'

type Event = QuestFacts['recorded'][number]
type Progress = QuestFacts['progress'][number]
type Value = string | number | null

/** One value that differs from what it must be. */
export interface QuestFinding {
  /** Null for a finding about the quest itself. */
  userId: string | null
  questId: string
  /** Null for a streak. */
  period: string | null
  what: string
  expected: Value
  actual: Value
}

export function auditQuests(facts: QuestFacts, set: QuestSet, history: QuestHistory): QuestFinding[] {
  const events = new Map(facts.recorded.map(event => [`${event.source} ${event.eventId}`, event]))
  const spans = completionSpans(facts)
  return [
    // Progress that a merge has copied is checked with the merged fan, who has its events.
    ...facts.progress
      .filter(({ row }) => row.carriedFrom === null)
      .flatMap(progress => progressFindings(facts, set, progress, { events, spans, history })),
    ...strayCarriedFindings(facts),
    ...strayCountFindings(facts),
    ...missedFindings(facts, set),
    ...streakFindings(facts, set),
    ...strayEntryFindings(facts),
  ]
}

/** Copied periods whose origin is not a fan who was merged into this one. */
function strayCarriedFindings({ userId, progress, merges }: QuestFacts): QuestFinding[] {
  const merged = new Set(merges.map(({ fromId }) => fromId))
  const what = 'quest_progress.carried_from'
  return progress.flatMap(({ row: { questId, period, carriedFrom } }) =>
    carriedFrom === null || merged.has(carriedFrom)
      ? []
      : [{ userId, questId, period, what, expected: null, actual: carriedFrom }],
  )
}

/** Counted events of periods that the fan does not have. */
function strayCountFindings({ userId, progress, counted }: QuestFacts): QuestFinding[] {
  const known = new Set(progress.map(({ row }) => refOf(row)))
  const stray = new Map(counted.filter(count => !known.has(refOf(count))).map(count => [refOf(count), count]))
  const what = 'quest_progress.row'
  return [...stray.values()].map(({ questId, period }) => {
    return { userId, questId, period, what, expected: period, actual: null }
  })
}

/** Ledger entries of periods that the fan does not have. */
function strayEntryFindings({ userId, progress, entries }: QuestFacts): QuestFinding[] {
  const known = new Set(progress.map(({ row }) => refOf(row)))
  const what = 'points_entries.row'
  return entries
    .filter(({ ref }) => !known.has(ref))
    .map(({ ref, delta }) => ({ userId, questId: ref, period: null, what, expected: null, actual: delta }))
}

/** A time span in which a quest counted as completed. */
interface Span {
  /** Null if the data of the event was deleted: it may be any quest. */
  questId: string | null
  from: Date
  /** Exclusive. Null for a completion that is still valid. */
  until: Date | null
}

/** Spans of valid completions, and of completions that were taken back, whose events are voided. */
function completionSpans({ progress, recorded }: QuestFacts): Span[] {
  const held = progress.flatMap(({ row: { questId, completedAt } }) =>
    completedAt ? [{ questId, from: completedAt, until: null }] : [],
  )
  const lost = recorded.flatMap(({ source, type, occurredAt, voidedAt, data }) => {
    if (source !== 'matchday' || type !== 'quest.completed' || !occurredAt || !voidedAt) return []
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

function progressFindings(
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
  const counts = countAgain(facts, definition, row, known.events, compare)
  const versions = termsAt(known.history, questId, row.createdAt, MARGIN_MS).map(({ version }) => version)
  if (!versions.includes(row.version)) compare('quest_progress.version', versions.at(-1) ?? null, row.version)
  const stored = parseCounts(row.counts)
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
const UNKNOWN = Symbol('unknown')

function matchOf(step: QuestDefinition['steps'][number], { type, data }: Event) {
  if (data === null && needsData(step)) return UNKNOWN
  return matchStep(step, { type: type ?? '', data: JSON.parse(data ?? '{}') })
}

/** An import and an event at about the same time may or may not see each other. */
const MARGIN_MS = 60_000

/** Events since the last change of a quest that should have counted. Earlier ones count by `backfill-quests` only. */
function missedFindings({ userId, recorded, counted, progress }: QuestFacts, set: QuestSet): QuestFinding[] {
  const known = new Set(
    counted.map(count => `${count.questId} ${count.stepId} ${count.source} ${count.eventId}`),
  )
  const rows = new Map(progress.map(({ row }) => [`${row.questId} ${row.period}`, row]))
  return recorded.flatMap(event => {
    const { type, occurredAt, voidedAt, source, eventId, recordedAt } = event
    if (type === null || occurredAt === null || voidedAt) return []
    return (set.byEventType.get(type) ?? []).flatMap(quest => {
      const isOld = recordedAt.getTime() <= quest.changedAt.getTime() + MARGIN_MS
      if (isOld || !isWithin(quest, occurredAt)) return []
      const period = periodAt(quest.current, occurredAt).key
      const row = rows.get(`${quest.id} ${period}`)
      if (row?.carriedFrom || (row?.claimedAt && row.claimedAt <= recordedAt)) return []
      // A version that does not exist is reported with the period.
      if (row && !quest.versions.has(row.version)) return []
      const { steps } = row ? versionOf(quest, row.version) : quest.current
      return steps
        .filter(step => {
          const found = matchOf(step, event)
          return found !== undefined && found !== UNKNOWN
        })
        .filter(({ id }) => !known.has(`${quest.id} ${id} ${source} ${eventId}`))
        .map(({ id }) => {
          const what = `counted event ${source} ${eventId} of ${id}`
          return { userId, questId: quest.id, period, what, expected: 'counted', actual: null }
        })
    })
  })
}

function streakFindings({ userId, progress, streaks }: QuestFacts, set: QuestSet): QuestFinding[] {
  const stored = new Map(streaks.map(streak => [streak.questId, streak]))
  const ids = new Set([...progress.map(({ row }) => row.questId), ...stored.keys()])
  return [...ids].flatMap(questId => {
    const rules = set.byId.get(questId)?.current
    if (rules?.kind !== 'streak') return []
    const ends = progress.flatMap(({ row }) =>
      row.questId === questId && row.completedAt && row.endsAt ? [row.endsAt] : [],
    )
    const streak = streakOf(ends, rules)
    const expected = streak ? describe({ ...streak, endsAt: endOfStreak(streak, rules) }) : null
    const row = stored.get(questId)
    const actual = row ? describe(row) : null
    return expected === actual
      ? []
      : [{ userId, questId, period: null, what: 'quest_streaks.row', expected, actual }]
  })
}

const describe = ({ current, best, graceLeft, lastEndsAt, endsAt }: Streak & { endsAt: Date }) =>
  JSON.stringify({ current, best, graceLeft, lastEndsAt, endsAt })
