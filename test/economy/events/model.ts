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

interface HeldGrant extends Grant {
  rule: Rule
  /** Points that were not taken back. */
  remaining: number
  /** The fan who earned it, and the fans to which merges have carried it. */
  fans: number[]
}

interface Happened {
  content: Content
  /** The record of the fan at the time of recording, with which the event stays. */
  fan: number
  granted: HeldGrant[]
  taken: (Grant & { uncollected: number })[] | null
}

export class ModelClub {
  private readonly events = new Map<number, Happened>()
  private readonly voids = new Set<number>()
  private readonly uses = new Map<string, number>()
  private readonly spentOf = new Map<string, number>()
  private readonly ledgers = new Map<number, Booked[]>()
  /** In the order in which each fan got them. */
  private readonly grants = new Map<number, HeldGrant[]>()
  /** The fan that the sign-in of a merged fan reaches. */
  private readonly leadsTo = new Map<number, number>()
  private readonly mergedInto = new Map<number, number>()

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
    for (const grant of granted) this.give(grant, fan, 'rule')
    this.events.set(id, { content, fan, granted, taken: null })
    return { outcome: 'applied', code: undefined, grants: granted.map(grantOf) }
  }

  /** The points that were taken; null if the event has not arrived. */
  take(id: number) {
    const event = this.events.get(id)
    if (!event) {
      this.voids.add(id)
      return null
    }
    event.taken ??= event.granted.map(grant => {
      const { rule, ruleId, fans } = grant
      const points = Math.min(grant.points, this.balanceOf(fans.at(-1) ?? event.fan))
      if (points > 0) this.takeBack(fans, points)
      grant.remaining -= points
      if (points === grant.points)
        for (const fan of this.chainOf(event.fan)) add(this.uses, useOf(rule, fan, event.content), -1)
      add(this.spentOf, rule.name, -points)
      return { ruleId, points, uncollected: grant.points - points }
    })
    return event.taken
  }

  /** Takes points from the last fan, who returns them to the previous one, and so on to the fan who earned them. */
  private takeBack(fans: number[], points: number) {
    for (const [at, fan] of [...fans.entries()].toReversed()) {
      if (at < fans.length - 1) this.book(fan, 'merge_reclaimed', points)
      this.book(fan, at === 0 ? 'rule_void' : 'merge_void', -points)
    }
  }

  private give(grant: HeldGrant, fan: number, reason: string) {
    this.book(fan, reason, grant.remaining)
    this.grants.set(fan, [...(this.grants.get(fan) ?? []), grant])
    grant.fans.push(fan)
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
    const open = (this.grants.get(from) ?? []).filter(({ remaining }) => remaining > 0)
    const earned = open.reduce((sum, { remaining }) => sum + remaining, 0)
    for (const grant of open) this.give(grant, into, 'merge')
    if (earned > balance) this.book(into, 'merge_spent', balance - earned)
    if (balance > 0) this.book(from, 'merged', -balance)
    for (const [use, uses] of this.uses) {
      const [rule, fan, window] = JSON.parse(use)
      if (fan === from) add(this.uses, JSON.stringify([rule, into, window]), uses)
    }
    for (const [fan, other] of this.leadsTo) if (other === from) this.leadsTo.set(fan, into)
    this.leadsTo.set(from, into)
    this.mergedInto.set(from, into)
    return true
  }

  /** A fan, and the fans into which it was merged one after the other. */
  private chainOf(fan: number): number[] {
    const into = this.mergedInto.get(fan)
    return into === undefined ? [fan] : [fan, ...this.chainOf(into)]
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
    return [{ ruleId: `${rule.name}-${this.suffix}`, points, remaining: points, rule, fans: [] }]
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
