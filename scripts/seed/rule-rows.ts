/** What the demonstration rules grant for the events of a seeded fan, as the verbs write it. */
import type { Reader } from '../../db/index.ts'
import { readVersion } from '../../src/club/catalogue/versions.ts'
import { windowAt } from '../../src/core/windows.ts'
import type { NewEvent } from '../../src/economy/events/event.ts'
import { type Decision, grantRef } from '../../src/economy/rules/decision.ts'
import { evaluateRule } from '../../src/economy/rules/evaluate-rule.ts'
import type { Rule } from '../../src/economy/rules/rule.ts'
import { getRuleSet } from '../../src/economy/rules/rule-set.ts'
import { ruleIds } from './demo-rules.ts'
import type { Ledger } from './ledger-rows.ts'
import type { Rows } from './rows.ts'

/** The demonstration rules without a budget, which fans would share. */
export async function readDemoRules(reader: Reader): Promise<Rule[]> {
  const version = await readVersion(reader)
  const set = version ? await getRuleSet(reader, version) : new Map<string, Rule[]>()
  return [...set.values()].flat().filter(({ id, budget }) => ruleIds.includes(id) && budget === null)
}

/** Returns a function that decides about the next event of the fan, and books what the rules grant. */
export function createRuleBook(
  rows: Pick<Rows, 'ruleUses'>,
  { userId, points, rules }: { userId: string; points: Ledger; rules: Rule[] },
) {
  const uses = new Map<string, Rows['ruleUses'][number]>()

  function decide(event: NewEvent, rule: Rule, granted: number): Decision {
    const { id: ruleId, version, limit } = rule
    const window = limit && windowAt(limit.per, event.occurredAt, rule.timeZone).key
    const decision = { ruleId, version, points: granted, window, budgeted: false }
    if (limit && window !== null) {
      const use = uses.getOrInsertComputed(`${ruleId} ${window}`, () => {
        const row = { userId, ruleId, window, uses: 0 }
        rows.ruleUses.push(row)
        return row
      })
      if (use.uses >= limit.count) return { ...decision, outcome: 'limit' }
      use.uses++
    }
    points.book({ delta: granted, reason: 'rule', ref: grantRef(ruleId, event) })
    return { ...decision, outcome: 'granted' }
  }

  return (event: NewEvent): Decision[] =>
    rules.flatMap(rule => {
      const evaluation = rule.eventType === event.type ? evaluateRule(rule, event) : null
      return evaluation?.outcome === 'matched' ? decide(event, rule, evaluation.points) : []
    })
}
