/** Grants the points that events earn, and takes them back: exact limits and budgets, under any number of processes. */
import type { Transaction } from '../../../db/index.ts'
import type { CatalogueVersion } from '../../club/catalogue/versions.ts'
import { windowAt } from '../../core/windows.ts'
import type { Cause } from '../ledgers/reasons.ts'
import type { Ledgers } from '../points/ledger.ts'
import { openUses, returnToBudget, takeFromBudget, type Use } from './counters.ts'
import { type Decision, grantRef } from './decision.ts'
import { type EventFacts, evaluateRule } from './evaluate-rule.ts'
import type { Rule } from './rule.ts'
import { getRuleSet } from './rule-set.ts'

export interface RuledEvent extends EventFacts {
  source: string
  eventId: string
  userId: string
}

type EventId = Pick<RuledEvent, 'source' | 'eventId' | 'userId'>

/** What a void took back of a grant. */
export interface TakenGrant {
  ruleId: string
  points: number
  /** Points that the fan had spent already. */
  uncollected: number
}

/** The rules of a version, applied to events of fans whose ledgers are open. Changes are in memory until `write`. */
export interface RuleBook {
  /** Reads what the decisions about these events need, together. */
  load(events: RuledEvent[]): Promise<void>
  /**
   * Evaluates an event, in the order of the ids of the rules, and books what they grant. Returns a decision for each rule that
   * matches; null when no active rule listens to the type. Call it once per event.
   */
  apply(event: RuledEvent): Promise<Decision[] | null>
  /**
   * Takes back each grant of an event in the order of the rules, at most the balance. A limit gets its use back if the whole
   * grant was taken, a budget gets back the points that were. Call it once per event; the ledgers know its `causesOf`.
   */
  takeBack(event: EventId, decisions: Decision[]): Promise<TakenGrant[]>
  write(): Promise<void>
}

export async function openRules(
  tx: Transaction,
  version: CatalogueVersion | null,
  ledgers: Ledgers,
  isInSegment: (userId: string, segmentId: string) => Promise<boolean>,
): Promise<RuleBook> {
  const rules = version ? await getRuleSet(tx, version) : new Map<string, Rule[]>()
  const uses = openUses(tx)

  /** Books what the rule grants. */
  async function decide(event: RuledEvent, rule: Rule, points: number): Promise<Decision> {
    const { id: ruleId, version, limit, budget, fan } = rule
    const use = useOf(event, rule)
    const decision = { ruleId, version, points, window: use?.window ?? null, budgeted: budget !== null }
    if (fan !== null && !(await isInSegment(event.userId, fan))) return { ...decision, outcome: 'segment' }
    if (limit && use && !(await uses.take(use, limit.count))) return { ...decision, outcome: 'limit' }
    const isFull = !ledgers.hasRoom(event.userId, points)
    if (isFull || (budget !== null && !(await takeFromBudget(tx, { ruleId, points, budget })))) {
      if (use) await uses.giveBack(use)
      return { ...decision, outcome: isFull ? 'full' : 'budget' }
    }
    const { userId, occurredAt: countedAt } = event
    const ref = grantRef(ruleId, event)
    // An event that others record is not loaded with the first ones.
    if (rule.account !== null) await ledgers.loadAccounts([{ userId, accountId: rule.account }])
    // never points_limit_reached: the account has room.
    ledgers.append({ userId, delta: points, reason: 'rule', ref, accountId: rule.account, countedAt })
    return { ...decision, outcome: 'granted' }
  }

  return {
    async load(events) {
      const matched = events.flatMap(event =>
        (rules.get(event.type) ?? []).flatMap(rule =>
          evaluateRule(rule, event).outcome === 'matched' ? [{ event, rule }] : [],
        ),
      )
      await uses.load(matched.flatMap(({ event, rule }) => useOf(event, rule) ?? []))
      await ledgers.loadAccounts(
        matched.flatMap(({ event: { userId }, rule: { account: accountId } }) =>
          accountId === null ? [] : [{ userId, accountId }],
        ),
      )
    },
    async apply(event) {
      const listening = rules.get(event.type)
      if (!listening) return null
      const decisions: Decision[] = []
      for (const rule of listening) {
        const evaluation = evaluateRule(rule, event)
        if (evaluation.outcome === 'matched') decisions.push(await decide(event, rule, evaluation.points))
      }
      return decisions
    },
    async takeBack(event, decisions) {
      const { userId } = event
      const taken: TakenGrant[] = []
      for (const { ruleId, outcome, points: granted, window, budgeted } of decisions) {
        if (outcome !== 'granted') continue
        const { points } = ledgers.takeBack({ userId, reason: 'rule', ref: grantRef(ruleId, event) })
        taken.push({ ruleId, points, uncollected: granted - points })
        if (window !== null && points === granted)
          for (const fan of ledgers.fansOf(userId)) await uses.giveBack({ userId: fan, ruleId, window })
        if (budgeted && points > 0) returnToBudget(tx, { ruleId, points })
      }
      return taken
    },
    write: uses.write,
  }
}

/** The entries that `takeBack` needs to know. */
export const causesOf = (event: EventId, decisions: Decision[]): Cause[] =>
  decisions
    .filter(({ outcome }) => outcome === 'granted')
    .flatMap(({ ruleId }) =>
      ['rule', 'rule_void'].map(reason => ({ userId: event.userId, reason, ref: grantRef(ruleId, event) })),
    )

/** Null for a rule without a limit. */
function useOf({ userId, occurredAt }: RuledEvent, { id: ruleId, limit, timeZone }: Rule): Use | null {
  return limit && { userId, ruleId, window: windowAt(limit.per, occurredAt, timeZone).key }
}
