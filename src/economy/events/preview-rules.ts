/**
 * The points that rules would have granted for recorded events, evaluated in order, starting with unused limits and budgets. Segments are
 * those in which the fans are now.
 */
import type { Reader } from '../../../db/index.ts'
import { rememberMembers } from '../../club/segments/spine.ts'
import { windowAt } from '../../core/windows.ts'
import { evaluateRule } from '../rules/evaluate-rule.ts'
import type { Rule } from '../rules/rule.ts'
import {
  eachPastEvent,
  type FanShares,
  type PastEvent,
  type PreviewOptions,
  sharesOf,
} from './past-events.ts'

/** `fans` are those who would get points. */
export interface RulePreview extends FanShares {
  ruleId: string
  /** Events of the rule's type. */
  events: number
  /** Events that the rule would grant points for, and how many in all. */
  granted: number
  points: number
  /** Events without points, by reason. */
  refused: Record<Refusal, number>
  /** Points that rules of this id granted for the same events. */
  grantedBefore: number
}

type Refusal = 'unmet' | 'no_points' | 'not_started' | 'ended' | 'segment' | 'limit' | 'budget'

/** Leaves out voided events and events without data. Keeps a counter for each fan, rule and window in memory. */
export async function previewRules(
  reader: Reader,
  rules: Rule[],
  options: PreviewOptions,
): Promise<{ previews: RulePreview[]; isComplete: boolean }> {
  const counters = new Map(rules.map(rule => [rule.id, createCounter(rule)]))
  const isInSegment = rememberMembers(reader)
  const byType = Map.groupBy(rules, ({ eventType }) => eventType)
  const isComplete = await eachPastEvent(reader, [...byType.keys()], options, async event => {
    for (const rule of byType.get(event.type) ?? []) {
      const isCounted = rule.fan === null || (await isInSegment(event.userId, rule.fan))
      counters.get(rule.id)?.count(event, isCounted)
    }
  })
  return { previews: [...counters.values()].map(({ preview }) => preview()), isComplete }
}

function createCounter(rule: Rule) {
  const { id: ruleId, limit, budget, timeZone } = rule
  const refused = { unmet: 0, no_points: 0, not_started: 0, ended: 0, segment: 0, limit: 0, budget: 0 }
  const found = { ruleId, events: 0, granted: 0, points: 0, refused, grantedBefore: 0 }
  const gains = new Map<string, { times: number; points: number }>()
  const uses = new Map<string, number>()

  /** Points, or the reason for none. */
  function decide({ userId, occurredAt, ...event }: PastEvent, isCounted: boolean): number | Refusal {
    const evaluation = evaluateRule(rule, { ...event, occurredAt })
    if (evaluation.outcome !== 'matched') return evaluation.outcome
    const { points } = evaluation
    if (!isCounted) return 'segment'
    const use = limit && `${userId} ${windowAt(limit.per, occurredAt, timeZone).key}`
    const used = use === null ? 0 : (uses.get(use) ?? 0)
    if (limit && used >= limit.count) return 'limit'
    if (budget !== null && found.points + points > budget) return 'budget'
    if (use !== null) uses.set(use, used + 1)
    return points
  }

  return {
    count(event: PastEvent, isCounted: boolean) {
      const decision = decide(event, isCounted)
      found.events++
      for (const { ruleId: id, outcome, points } of event.decisions)
        if (id === ruleId && outcome === 'granted') found.grantedBefore += points
      if (typeof decision === 'string') return void refused[decision]++
      found.granted++
      found.points += decision
      const gain = gains.getOrInsertComputed(event.userId, () => ({ times: 0, points: 0 }))
      gain.times++
      gain.points += decision
    },
    preview: (): RulePreview => ({ ...found, ...sharesOf(gains) }),
  }
}
