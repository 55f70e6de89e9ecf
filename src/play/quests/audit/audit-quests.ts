/** Recomputes a fan's progress, completions and streaks from their events, and compares the rewards that were given. */
import { isWithin } from '../../../club/catalogue/availability.ts'
import { refOf } from '../give-reward.ts'
import { periodAt } from '../periods.ts'
import { type QuestSet, versionOf } from '../quest.ts'
import { endOfStreak, type Streak, streakOf } from '../streak.ts'
import { completionSpans, isSwept, MARGIN_MS, matchOf, progressFindings, UNKNOWN } from './audit-progress.ts'
import type { QuestFacts, QuestFinding } from './facts.ts'
import type { QuestHistory } from './quest-history.ts'

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

/** Events since the last change of a quest that should have counted. Earlier ones count by `backfill-quests` only. */
function missedFindings(facts: QuestFacts, set: QuestSet): QuestFinding[] {
  const { userId, recorded, counted, progress } = facts
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
      if (row && isSwept(facts, row)) return []
      if (row?.carriedFrom || (row?.claimedAt && row.claimedAt <= recordedAt)) return []
      // A version that does not exist is reported with the period.
      if (row && !quest.versions.has(row.version)) return []
      const { steps, fan } = row ? versionOf(quest, row.version) : quest.current
      // In which segments the fan was then is unknown.
      if (fan !== null) return []
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
