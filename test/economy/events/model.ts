/** A club without a database: what events earn and voids take, and what merges carry over, one after the other. */

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

type Booked = [reason: string, delta: number, balance: number]

interface Happened {
  content: Content
  /** Who recorded it, by the sign-ins of then: it stays with that record. */
  fan: number
  granted: (Grant & { rule: Rule })[]
  taken: (Grant & { uncollected: number })[] | null
}

export class ModelClub {
  private readonly events = new Map<number, Happened>()
  private readonly voids = new Set<number>()
  private readonly uses = new Map<string, number>()
  private readonly spentOf = new Map<string, number>()
  private readonly ledgers = new Map<number, Booked[]>()
  /** To whom the sign-in of a merged fan leads. */
  private readonly leadsTo = new Map<number, number>()

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
    const fan = this.fanOf(content.fan)
    const granted = RULES.flatMap(rule => this.evaluate(rule, fan, content))
    for (const { points } of granted) this.book(fan, 'rule', points)
    this.events.set(id, { content, fan, granted, taken: null })
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
      const points = Math.min(grant.points, this.balanceOf(event.fan))
      if (points > 0) this.book(event.fan, 'rule_void', -points)
      if (points === grant.points) add(this.uses, useOf(rule, event.fan, event.content), -1)
      add(this.spentOf, rule.name, -points)
      return { ruleId: grant.ruleId, points, uncollected: grant.points - points }
    })
    return event.taken
  }

  spend(fan: number, points: number): boolean {
    const spender = this.fanOf(fan)
    const affordable = this.balanceOf(spender) >= points
    if (affordable) this.book(spender, 'activity', -points)
    return affordable
  }

  /** False if it is refused. What one record has earned and spent is booked on the other, and the balance leaves it. */
  merge(from: number, into: number): boolean {
    if (from === into || this.leadsTo.has(from) || this.leadsTo.has(into)) return false
    const balance = this.balanceOf(from)
    const isEarning = (reason: string) => reason === 'rule' || reason === 'rule_void' || reason === 'merge'
    const earned = this.ledgerOf(from).reduce(
      (sum, [reason, delta]) => sum + (isEarning(reason) ? delta : 0),
      0,
    )
    if (earned > 0) this.book(into, 'merge', earned)
    if (earned > balance) this.book(into, 'merge_spent', balance - earned)
    if (balance > 0) this.book(from, 'merged', -balance)
    for (const [use, uses] of this.uses) {
      const [rule, fan, window] = JSON.parse(use)
      if (fan === from) add(this.uses, JSON.stringify([rule, into, window]), uses)
    }
    for (const [fan, other] of this.leadsTo) if (other === from) this.leadsTo.set(fan, into)
    this.leadsTo.set(from, into)
    return true
  }

  ledgerOf = (fan: number) => this.ledgers.get(fan) ?? []

  private fanOf = (fan: number) => this.leadsTo.get(fan) ?? fan

  private evaluate(rule: Rule, fan: number, content: Content): Happened['granted'] {
    const points = rule.kind === content.kind ? rule.points(content) : 0
    const use = useOf(rule, fan, content)
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
const useOf = ({ name, limit }: Rule, fan: number, content: Content) =>
  JSON.stringify([name, fan, limit?.window(content)])
const add = (sums: Map<string, number>, key: string, by: number) =>
  void sums.set(key, (sums.get(key) ?? 0) + by)
