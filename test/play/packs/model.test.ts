/** Purchases in any order: one after the other as a small model says, at once without breaking a rule. */
import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { statusOf } from '../../../src/play/purchases/purchase.ts'
import type { Answer } from '../../support/client.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buy,
  buyWithMoney,
  cancel,
  checkLedger,
  checkSupply,
  complete,
  DAY,
  EUROS,
  HOLD,
  MINUTE,
  open,
  patientFan,
  purchaseRows,
  receipt,
  remaining,
  start,
  userPackIdOf,
} from './packs-world.ts'
import { refundPack } from './refund-pack.ts'

const FANS = 3
const POINTS = { amount: 100, currency: 'POINTS' }

type Step =
  | { kind: 'start'; fan: number }
  /** Points that are taken back. */
  | { kind: 'take'; fan: number }
  /** `nth`: index of the purchase, modulo the number of purchases. */
  | { kind: 'cancel' | 'complete' | 'open' | 'refund'; nth: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('start' as const), fan: fc.constantFrom(0, 0, 1, 2) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const), fan: fc.constantFrom(0, 1, 2) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['complete', 'complete', 'complete', 'open', 'open', 'refund', 'cancel'] as const),
      ),
      nth: fc.nat(6),
    }),
  },
)
const wait = fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(5 * MINUTE, HOLD) })
const trial = fc.record({
  price: fc.constantFrom(POINTS, EUROS),
  supply: fc.integer({ min: 1, max: 4 }),
  points: fc.constantFrom(0, 150, 200, 250),
})

/** Points for two, of which less than for one is left. */
const TAKEN_BACK: Step[] = [
  ...[
    { kind: 'start' as const, fan: 0 },
    { kind: 'start' as const, fan: 0 },
    { kind: 'take' as const, fan: 0 },
  ],
  ...[
    { kind: 'complete' as const, nth: 0 },
    { kind: 'complete' as const, nth: 1 },
  ],
]

/** The statuses that a purchase may change to by itself. */
const LEGAL: Record<string, string[]> = {
  cancelled: ['cancelled', 'refund_due', 'refunded'],
  pending: ['pending', 'cancelled', 'expired', 'completed', 'refund_due', 'refunded'],
  expired: ['expired', 'completed', 'refund_due', 'refunded'],
  completed: ['completed', 'refunded'],
  refund_due: ['refund_due', 'refunded'],
  refunded: ['refunded'],
}

/** Everything that a step can be answered. */
const ANSWERS: Record<Step['kind'], string[]> = {
  cancel: ['ok', 'purchase_not_pending'],
  complete: ['insufficient_points', 'ok', 'purchase_expired', 'purchase_not_pending'],
  open: ['ok', 'user_pack_not_found'],
  refund: ['not_refundable', 'ok'],
  start: ['insufficient_points', 'ok', 'rate_limited', 'sold_out'],
  take: ['ok'],
}

interface Modelled {
  fan: number
  state: 'pending' | 'cancelled' | 'completed' | 'refund_due' | 'refunded'
  handedOver: boolean
  opened: boolean
  startedAt: number
  expiresAt: number
  /** When it was paid or cancelled. */
  endedAt: number
}

/** Waits after half an hour that was held and not paid, after an hour, and so on. */
const WAITS = [0, 2, 10, 60, 360, 1440].map(minutes => minutes * MINUTE)
const TAKEN = 70

/** The rules, without a database: what each step is answered. */
class Model {
  readonly purchases: Modelled[] = []
  readonly balances: number[]
  constructor(
    readonly price: typeof POINTS,
    readonly supply: number,
    points: number,
  ) {
    this.balances = Array(FANS).fill(points)
  }

  get sold() {
    return this.purchases.filter(({ state, opened }) => state === 'completed' || opened).length
  }
  held(now: number) {
    return this.purchases.filter(({ state, expiresAt }) => state === 'pending' && now < expiresAt).length
  }
  heldPoints(fan: number, now: number) {
    const held = this.purchases.filter(
      purchase => purchase.fan === fan && purchase.state === 'pending' && now < purchase.expiresAt,
    )
    return this.price.currency === 'POINTS' ? held.length * this.price.amount : 0
  }
  private waits(fan: number, now: number): boolean {
    const own = this.purchases.filter(purchase => purchase.fan === fan)
    const unpaid = own
      .flatMap(({ state, startedAt, expiresAt, endedAt }) => {
        if (state === 'cancelled')
          return [{ startedAt, end: endedAt, held: Math.max(endedAt - startedAt, 5 * MINUTE) }]
        return state === 'pending' && now >= expiresAt ? [{ startedAt, end: expiresAt, held: HOLD }] : []
      })
      .toSorted((a, b) => a.startedAt - b.startedAt || a.end - b.end)
    // All have the same price: each payment makes up for the oldest one that began before it.
    for (const { endedAt } of own
      .filter(({ state }) => state === 'completed')
      .toSorted((a, b) => a.endedAt - b.endedAt))
      if (unpaid[0] && unpaid[0].startedAt <= endedAt) unpaid.shift()
    const halfHours = Math.floor(unpaid.reduce((sum, { held }) => sum + held, 0) / (30 * MINUTE))
    return now < Math.max(...unpaid.map(({ end }) => end)) + (WAITS[Math.min(halfHours, 5)] ?? 0)
  }
  private pay(fan: number, amount: number) {
    if (this.price.currency === 'POINTS') this.balances[fan] = (this.balances[fan] ?? 0) - amount
  }
  private short(fan: number) {
    return this.price.currency === 'POINTS' && (this.balances[fan] ?? 0) < this.price.amount
  }
  private cannotHold(fan: number, now: number) {
    const { amount, currency } = this.price
    return currency === 'POINTS' && (this.balances[fan] ?? 0) - this.heldPoints(fan, now) < amount
  }

  take(now: number, step: Step): string {
    if (step.kind === 'start') {
      if (this.sold + this.held(now) >= this.supply) return 'sold_out'
      if (this.waits(step.fan, now)) return 'rate_limited'
      if (this.cannotHold(step.fan, now)) return 'insufficient_points'
      const purchase = { fan: step.fan, state: 'pending', handedOver: false, opened: false } as const
      this.purchases.push({ ...purchase, startedAt: now, expiresAt: now + HOLD, endedAt: 0 })
      return 'ok'
    }
    if (step.kind === 'take') {
      this.balances[step.fan] = Math.max(0, (this.balances[step.fan] ?? 0) - TAKEN)
      return 'ok'
    }
    const purchase = this.purchases[step.nth % this.purchases.length]
    if (!purchase) return 'skipped'
    if (step.kind === 'complete') return this.complete(now, purchase)
    if (step.kind === 'cancel') {
      if (purchase.state === 'pending' && now < purchase.expiresAt) {
        purchase.state = 'cancelled'
        purchase.endedAt = now
      }
      return purchase.state === 'cancelled' ? 'ok' : 'purchase_not_pending'
    }
    if (step.kind === 'open') {
      if (!purchase.handedOver || (purchase.state === 'refunded' && !purchase.opened))
        return 'user_pack_not_found'
      purchase.opened = true
      return 'ok'
    }
    if (purchase.state !== 'completed' && purchase.state !== 'refund_due') return 'not_refundable'
    purchase.state = 'refunded'
    this.pay(purchase.fan, -this.price.amount)
    return 'ok'
  }

  private complete(now: number, purchase: Modelled): string {
    if (purchase.state === 'refund_due')
      return now >= purchase.expiresAt ? 'purchase_expired' : 'purchase_not_pending'
    if (purchase.state === 'cancelled') {
      if (this.price.currency === 'POINTS') return 'purchase_not_pending'
      purchase.state = 'refund_due'
      return 'purchase_not_pending'
    }
    if (purchase.state !== 'pending') return 'ok'
    if (now >= purchase.expiresAt) {
      if (this.price.currency === 'POINTS') return 'purchase_expired'
      if (this.sold + this.held(now) >= this.supply) {
        purchase.state = 'refund_due'
        return 'purchase_expired'
      }
    }
    if (this.short(purchase.fan)) return 'insufficient_points'
    this.pay(purchase.fan, this.price.amount)
    purchase.state = 'completed'
    purchase.endedAt = now
    purchase.handedOver = true
    return 'ok'
  }
}

const codeOf = ({ status, body }: Answer): string => (status < 300 ? 'ok' : body.code)

/** One pack, sold to the same few fans as in every run, each with so many points. */
async function prepare(
  world: World,
  fans: Fan[],
  { price, supply, points }: { price: typeof POINTS; supply: number; points: number },
) {
  const packId = await addPack(world, { price, supply })
  // What was not paid before has no effect after a payment of as much.
  world.clock.advance(DAY)
  const amount = 1_000_000
  const forPoints = await addPack(world, { price: { amount, currency: 'POINTS' } })
  const forMoney = await addPack(world, { price: { amount, currency: 'EUR' } })
  for (const fan of fans) {
    const { balance } = await balanceOf(fan)
    await world.grant(fan, points + amount - balance)
    await buy(fan, forPoints)
    await buyWithMoney(fan, forMoney)
  }
  world.clock.advance(1)
  const started: { id: string; fan: number }[] = []
  const before = new Map<string, string>()

  async function perform(step: Step): Promise<string> {
    if (step.kind === 'start') {
      const answer = await start(fans[step.fan] as Fan, packId)
      if (answer.status === 201) started.push({ id: answer.body.id, fan: step.fan })
      return codeOf(answer)
    }
    if (step.kind === 'take') {
      const fan = fans[step.fan] as Fan
      const taken = Math.min(TAKEN, (await balanceOf(fan)).balance)
      // Spent meanwhile.
      if (taken > 0) await world.grant(fan, -taken).catch(() => {})
      return 'ok'
    }
    const purchase = started[step.nth % started.length]
    const fan = fans[purchase?.fan ?? 0]
    if (!purchase || !fan) return 'skipped'
    if (step.kind === 'complete') {
      const reference = price === POINTS ? undefined : await receipt(fan, purchase.id)
      return codeOf(await complete(fan, purchase.id, reference))
    }
    if (step.kind === 'cancel') return codeOf(await cancel(fan, purchase.id))
    if (step.kind === 'open') return codeOf(await open(fan, await userPackIdOf(world, purchase.id)))
    return world.db
      .write(tx => refundPack(tx, purchase.id))
      .then(
        () => 'ok',
        error => error.code,
      )
  }

  /** Invariants between any two steps. */
  async function check() {
    for (const row of await purchaseRows(world, packId)) {
      const status = statusOf(row, new Date(world.clock.ms))
      expect(LEGAL[before.get(row.id) ?? 'pending']).toContain(status)
      before.set(row.id, status)
    }
    await checkSupply(world, packId, new Date(world.clock.ms))
    for (const fan of fans) await checkLedger(world, fan)
  }

  return { perform, check, packId }
}

onEachEngine('Purchases of a few fans', world => {
  const fans: Fan[] = []
  beforeAll(async () => {
    while (fans.length < FANS) fans.push(await patientFan(world))
  })
  /** A server takes its time for each commit. */
  const runs = () => ({ numRuns: world.db.engine === 'sqlite' ? 60 : 15, seed: 20260815 })

  test('one after the other, each step is answered as the model says', async () => {
    const answers = new Set<string>()
    const steps = fc.array(fc.oneof({ weight: 7, arbitrary: step }, { weight: 1, arbitrary: wait }), {
      minLength: 12,
      maxLength: 30,
      size: 'max',
    })
    const property = fc.asyncProperty(trial, steps, async (terms, steps) => {
      const { perform, check, packId } = await prepare(world, fans, terms)
      const model = new Model(terms.price, terms.supply, terms.points)
      for (const step of steps) {
        if (step.kind === 'wait') {
          world.clock.advance(step.ms)
          continue
        }
        const foreseen = model.take(world.clock.ms, step)
        expect({ step, answer: await perform(step) }).toEqual({ step, answer: foreseen })
        answers.add(`${step.kind} ${foreseen}`)
      }
      await check()
      const left = terms.supply - model.sold - model.held(world.clock.ms)
      expect(await remaining(world, packId)).toBe(left)
      for (const [n, fan] of fans.entries()) {
        const { balance, held } = (await fan.get('/api/user/points')).body
        expect([balance, held]).toEqual([model.balances[n], model.heldPoints(n, world.clock.ms)])
      }
    })
    await fc.assert(property, {
      ...runs(),
      examples: [[{ price: POINTS, supply: 4, points: 200 }, TAKEN_BACK]],
    })
    expect((await verifyLedger(world.db)).findings).toBe(0)
    // The steps went everywhere that there is to go.
    const every = Object.entries(ANSWERS).flatMap(([kind, codes]) => codes.map(code => `${kind} ${code}`))
    expect([...answers].filter(answer => !answer.endsWith('skipped')).toSorted()).toEqual(every)
  })

  test('concurrently, in any order, violates no rule', async () => {
    const batches = fc.array(fc.tuple(fc.array(step, { minLength: 2, maxLength: 6 }), wait, fc.boolean()), {
      minLength: 3,
      maxLength: 6,
    })
    const property = fc.asyncProperty(trial, batches, async (terms, batches) => {
      const { perform, check } = await prepare(world, fans, terms)
      for (const [steps, { ms }, waits] of batches) {
        const answers = await Promise.all(steps.map(perform))
        for (const [n, { kind }] of steps.entries()) {
          expect(['skipped', ...ANSWERS[kind]]).toContain(answers[n] ?? '')
        }
        await check()
        if (waits) world.clock.advance(ms)
        await check()
      }
    })
    await fc.assert(property, runs())
  })
})
