/** What rules would have granted for recorded events, evaluated in their order from empty limits and whole budgets. */
import { and, gte, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { windowAt } from '../../core/windows.ts'
import { decisionsOf, type RecordedEvent, toRecordedEvent } from '../../economy/events/event.ts'
import type { Decision } from '../../economy/rules/decision.ts'
import { evaluateRule } from '../../economy/rules/evaluate-rule.ts'
import type { Rule } from '../../economy/rules/rule.ts'

export interface RulePreview {
  ruleId: string
  /** Events of the rule's type. */
  events: number
  /** Events that the rule would grant points for, and how many in all. */
  granted: number
  points: number
  /** Fans who would get points. */
  fans: number
  /** Events without points, by reason. */
  refused: Record<Refusal, number>
  /** Points that rules of this id granted for the same events. */
  grantedBefore: number
}

type Refusal = 'unmet' | 'no_points' | 'not_started' | 'ended' | 'limit' | 'budget'

export interface PreviewOptions {
  /** Events that occurred from then on. */
  since: Date
  onProgress?: (done: number) => void
}

/** Voided events and those whose data was deleted are left out. Keeps a counter for each fan, rule and window in memory. */
export async function previewRules(
  reader: Reader,
  rules: Rule[],
  { since, onProgress }: PreviewOptions,
): Promise<RulePreview[]> {
  const counters = new Map(rules.map(rule => [rule.id, createCounter(rule)]))
  const byType = Map.groupBy(rules, ({ eventType }) => eventType)
  let done = 0
  for await (const event of readEvents(reader, [...byType.keys()], since)) {
    const rulesOfType = byType.get(event.type) ?? []
    for (const rule of rulesOfType) counters.get(rule.id)?.count(event)
    done++
    if (done % 1_000 === 0) onProgress?.(done)
  }
  onProgress?.(done)
  return [...counters.values()].map(({ preview }) => preview())
}

/** Clocks of other systems may be ahead by this much. */
const MAX_AHEAD_MS = 5 * 60_000

type PastEvent = RecordedEvent & { decisions: Decision[] }

function createCounter(rule: Rule) {
  const { id: ruleId, limit, budget, timeZone } = rule
  const refused = { unmet: 0, no_points: 0, not_started: 0, ended: 0, limit: 0, budget: 0 }
  const found = { ruleId, events: 0, granted: 0, points: 0, refused, grantedBefore: 0 }
  const fans = new Set<string>()
  const uses = new Map<string, number>()

  /** Points, or why there are none. */
  function decide({ userId, occurredAt, ...event }: PastEvent): number | Refusal {
    const evaluation = evaluateRule(rule, { ...event, occurredAt })
    if (evaluation.outcome !== 'matched') return evaluation.outcome
    const { points } = evaluation
    const use = limit && `${userId} ${windowAt(limit.per, occurredAt, timeZone).key}`
    const used = use === null ? 0 : (uses.get(use) ?? 0)
    if (limit && used >= limit.count) return 'limit'
    if (budget !== null && found.points + points > budget) return 'budget'
    if (use !== null) uses.set(use, used + 1)
    return points
  }

  return {
    count(event: PastEvent) {
      const decision = decide(event)
      found.events++
      for (const { ruleId: id, outcome, points } of event.decisions)
        if (id === ruleId && outcome === 'granted') found.grantedBefore += points
      if (typeof decision === 'string') return void refused[decision]++
      found.granted++
      found.points += decision
      fans.add(event.userId)
    },
    preview: (): RulePreview => ({ ...found, fans: fans.size }),
  }
}

/** Events that are not voided, in the order in which they were recorded. */
async function* readEvents(reader: Reader, types: string[], since: Date) {
  if (types.length === 0) return
  const { events } = reader.tables
  const { source, eventId, type, occurredAt, recordedAt, data } = events
  const rows = eachRow({ recordedAt, source, eventId }, after =>
    reader
      .select()
      .from(events)
      .where(
        and(
          // The condition of the index. Without data an event cannot be evaluated.
          isNotNull(data),
          // An event occurs at most this long after it is recorded.
          gte(recordedAt, new Date(since.getTime() - MAX_AHEAD_MS)),
          gte(occurredAt, since),
          inArray(type, types),
          isNull(events.voidedAt),
          after,
        ),
      ),
  )
  for await (const row of rows) {
    const event = toRecordedEvent(row)
    if (event) yield { ...event, decisions: decisionsOf(row) }
  }
}
