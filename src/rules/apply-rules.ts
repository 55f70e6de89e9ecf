/** Grants the points that an event earns: exact limits and budgets, under any number of processes. */
import type { Transaction } from '../../db/index.ts'
import type { CatalogueVersion } from '../catalogue/versions.ts'
import { windowAt } from '../core/windows.ts'
import { appendEntry } from '../points/ledger.ts'
import { returnUse, takeFromBudget, takeUse } from './counters.ts'
import { type Decision, grantRef } from './decision.ts'
import { type EventFacts, evaluateRule } from './evaluate-rule.ts'
import type { Rule } from './rule.ts'
import { getRuleSet } from './rule-set.ts'

export interface RuledEvent extends EventFacts {
  source: string
  eventId: string
  userId: string
}

/**
 * Evaluates an event by the rules of a version, in the order of their ids, and books what they grant. Returns a decision for each
 * rule that matches; null when no active rule listens to the type. Call it once per event, with the fan's account locked.
 */
export async function applyRules(
  tx: Transaction,
  event: RuledEvent,
  version: CatalogueVersion,
): Promise<Decision[] | null> {
  const rules = (await getRuleSet(tx, version)).get(event.type)
  if (!rules) return null
  const decisions: Decision[] = []
  for (const rule of rules) {
    const evaluation = evaluateRule(rule, event)
    if (evaluation.outcome === 'matched') decisions.push(await decide(tx, event, rule, evaluation.points))
  }
  for (const { outcome, ruleId, points } of decisions) {
    if (outcome !== 'granted') continue
    const ref = grantRef(ruleId, event)
    await appendEntry(tx, { userId: event.userId, delta: points, reason: 'rule', ref })
  }
  return decisions
}

async function decide(
  tx: Transaction,
  { userId, occurredAt }: RuledEvent,
  { id: ruleId, version, limit, budget, timeZone }: Rule,
  points: number,
): Promise<Decision> {
  const window = limit && windowAt(limit.per, occurredAt, timeZone).key
  const decision = { ruleId, version, points, window, budgeted: budget !== null }
  const use = limit && window !== null ? { userId, ruleId, window, count: limit.count } : null
  if (use && !(await takeUse(tx, use))) return { ...decision, outcome: 'limit' }
  if (budget === null || (await takeFromBudget(tx, { ruleId, points, budget })))
    return { ...decision, outcome: 'granted' }
  if (use) await returnUse(tx, use)
  return { ...decision, outcome: 'budget' }
}
