/** Explains the points of an event, rule by rule, from the rules of the revision that evaluated it. */
import type { Reader } from '../../../db/index.ts'
import { type Condition, isHeard, valueAt } from '../../club/catalogue/conditions.ts'
import { readVersion } from '../../club/catalogue/versions.ts'
import type { TakenGrant } from '../rules/apply-rules.ts'
import type { Decision } from '../rules/decision.ts'
import { type EventFacts, evaluateRule, needsData } from '../rules/evaluate-rule.ts'
import type { Rule } from '../rules/rule.ts'
import { readRules } from '../rules/rule-set.ts'
import { decisionsOf, type EventRow, parseJson, type RecordedEvent, toRecordedEvent } from './event.ts'
import type { EventKey } from './event-rows.ts'
import { findToldEvent } from './folded.ts'

/** Why a rule granted points for an event, or none. */
export type Reason =
  | { outcome: 'granted'; points: number; window: string | null }
  | { outcome: 'limit'; limit: Rule['limit']; window: string | null }
  /** The account had no room for the points. */
  | { outcome: 'full'; points: number }
  | { outcome: 'budget'; points: number; budget: number | null }
  /** `actual` is undefined where the data has no such member. */
  | { outcome: 'unmet'; condition: Condition; actual: unknown }
  | { outcome: 'not_started' | 'ended' | 'no_points' }
  /** The fan was not in the segment of the rule. */
  | { outcome: 'segment'; segment: string | null }
  /** It became active after the event was recorded. */
  | { outcome: 'later' }
  /** It did not match. The reason is no longer known. */
  | { outcome: 'data_deleted' }
  /** Rules can no longer listen to this type. The rule is from an earlier version. */
  | { outcome: 'unheard' }
  /** It matches, but no decision is stored, which `verify-ledger` reports. */
  | { outcome: 'undecided' }

export type RuleExplanation = { ruleId: string; name: string; version: number } & Reason

export interface EventExplanation
  extends Omit<RecordedEvent, 'data'>,
    Pick<EventRow, 'voidedAt' | 'revision'> {
  /** The rules of the event's type, by id. */
  rules: RuleExplanation[]
  /** Grants that its void took back. */
  taken: TakenGrant[]
}

/** `void`: only its void has arrived. Null if the id is unknown. */
export async function explainEvent(reader: Reader, key: EventKey): Promise<EventExplanation | 'void' | null> {
  const row = await findToldEvent(reader, key)
  return row ? explainRow(reader, row) : null
}

/** As `explainEvent`, for a row that may be in the archive. */
export async function explainRow(reader: Reader, row: EventRow): Promise<EventExplanation | 'void'> {
  const event = toRecordedEvent(row)
  if (!event) return 'void'
  const { data, ...recorded } = event
  const { type, occurredAt } = event
  const decisions = new Map(decisionsOf(row).map(decision => [decision.ruleId, decision]))
  const evaluated = await readActive(reader, row.revision ?? 0, type)
  const known = new Set(evaluated.map(({ id }) => id))
  const current = (await readVersion(reader))?.revision ?? 0
  const later = (await readActive(reader, current, type)).filter(({ id }) => !known.has(id))
  const facts = { type, occurredAt, data: row.data === null ? null : data }
  const rules = [
    ...evaluated.map(rule => explainRule(rule, facts, decisions.get(rule.id))),
    ...later.map(rule => ({ ...nameOf(rule), outcome: 'later' as const })),
  ]
  const { voidedAt, revision } = row
  const taken = parseJson<TakenGrant[]>(row.taken) ?? []
  return { ...recorded, voidedAt, revision, rules, taken }
}

const readActive = async (reader: Reader, revision: number, type: string) =>
  (await readRules(reader, revision)).filter(({ active, eventType }) => active && eventType === type)

const nameOf = ({ id, name, version }: Rule) => ({ ruleId: id, name, version })

/** `facts.data` is null if the data was deleted. */
function explainRule(rule: Rule, facts: EventFacts, decision: Decision | undefined): RuleExplanation {
  const named = nameOf(rule)
  if (decision) {
    const { outcome, points, window } = decision
    if (outcome === 'granted') return { ...named, outcome, points, window }
    if (outcome === 'segment') return { ...named, outcome, segment: rule.fan }
    if (outcome === 'limit') return { ...named, outcome, limit: rule.limit, window }
    if (outcome === 'full') return { ...named, outcome, points }
    return { ...named, outcome, points, budget: rule.budget }
  }
  if (!isHeard(facts.type)) return { ...named, outcome: 'unheard' }
  const evaluation = evaluateRule(rule, facts)
  if (evaluation.outcome === 'not_started' || evaluation.outcome === 'ended')
    return { ...named, outcome: evaluation.outcome }
  if (facts.data === null && needsData(rule)) return { ...named, outcome: 'data_deleted' }
  if (evaluation.outcome === 'unmet')
    return { ...named, ...evaluation, actual: valueAt(facts.data, evaluation.condition.path) }
  if (evaluation.outcome === 'no_points') return { ...named, outcome: evaluation.outcome }
  return { ...named, outcome: 'undecided' }
}
