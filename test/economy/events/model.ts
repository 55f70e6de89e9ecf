/** A club without a database: what events earn and voids take, one after the other. */

export interface Content {
  fan: number
  kind: 'scan' | 'buy'
  /** Days ago. */
  day: number
  amount: number
}

interface Grant {
  ruleId: string
  points: number
}

export interface Outcome {
  outcome: string
  code?: string | undefined
  grants: Grant[]
}

interface Rule {
  name: string
  kind: Content['kind']
  points: (content: Content) => number
  limit?: { count: number; window: (content: Content) => string }
  budget?: number
}

const RULES: Rule[] = [
  { name: 'a', kind: 'scan', points: () => 10, limit: { count: 2, window: ({ day }) => `${day}` } },
  {
    name: 'b',
    kind: 'scan',
    points: ({ fan }) => (fan === 0 ? 30 : 0),
    limit: { count: 3, window: () => 'ever' },
    budget: 70,
  },
  { name: 'c', kind: 'buy', points: ({ amount }) => Math.floor(amount / 100) * 3 },
]

interface Happened {
  content: Content
  granted: (Grant & { rule: Rule })[]
  taken: (Grant & { uncollected: number })[] | null
}

export class ModelClub {
  private readonly events = new Map<number, Happened>()
  private readonly voids = new Set<number>()
  private readonly uses = new Map<string, number>()
  private readonly spentOf = new Map<string, number>()
  private readonly ledgers = new Map<number, [reason: string, delta: number, balance: number][]>()

  constructor(private readonly suffix: string) {}

  report(id: number, content: Content): Outcome {
    const before = this.events.get(id)
    if (before) {
      const same = JSON.stringify(before.content) === JSON.stringify(content)
      return same
        ? { outcome: 'duplicate', code: undefined, grants: before.granted.map(grantOf) }
        : { outcome: 'refused', code: 'event_id_reused', grants: [] }
    }
    if (this.voids.has(id)) return { outcome: 'ignored', code: 'voided', grants: [] }
    const granted = RULES.flatMap(rule => this.evaluate(rule, content))
    for (const { points } of granted) this.book(content.fan, 'rule', points)
    this.events.set(id, { content, granted, taken: null })
    return { outcome: 'applied', code: undefined, grants: granted.map(grantOf) }
  }

  /** What was taken; null if the event has not arrived. */
  take(id: number) {
    const event = this.events.get(id)
    if (!event) {
      this.voids.add(id)
      return null
    }
    event.taken ??= event.granted.map(({ rule, ...grant }) => {
      const points = Math.min(grant.points, this.balanceOf(event.content.fan))
      if (points > 0) this.book(event.content.fan, 'rule_void', -points)
      if (points === grant.points) add(this.uses, useOf(rule, event.content), -1)
      add(this.spentOf, rule.name, -points)
      return { ruleId: grant.ruleId, points, uncollected: grant.points - points }
    })
    return event.taken
  }

  spend(fan: number, points: number): boolean {
    const affordable = this.balanceOf(fan) >= points
    if (affordable) this.book(fan, 'activity', -points)
    return affordable
  }

  ledgerOf = (fan: number) => this.ledgers.get(fan) ?? []

  private evaluate(rule: Rule, content: Content): Happened['granted'] {
    const points = rule.kind === content.kind ? rule.points(content) : 0
    const use = useOf(rule, content)
    if (points === 0 || (this.uses.get(use) ?? 0) >= (rule.limit?.count ?? Number.POSITIVE_INFINITY))
      return []
    if ((this.spentOf.get(rule.name) ?? 0) + points > (rule.budget ?? Number.POSITIVE_INFINITY)) return []
    add(this.uses, use, 1)
    add(this.spentOf, rule.name, points)
    return [{ ruleId: `${rule.name}-${this.suffix}`, points, rule }]
  }

  private balanceOf = (fan: number) => this.ledgerOf(fan).at(-1)?.[2] ?? 0

  private book(fan: number, reason: string, delta: number) {
    this.ledgers.set(fan, [...this.ledgerOf(fan), [reason, delta, this.balanceOf(fan) + delta]])
  }
}

const grantOf = ({ ruleId, points }: Grant): Grant => ({ ruleId, points })
const useOf = ({ name, limit }: Rule, content: Content) => `${name} ${content.fan} ${limit?.window(content)}`
const add = (sums: Map<string, number>, key: string, by: number) =>
  void sums.set(key, (sums.get(key) ?? 0) + by)
