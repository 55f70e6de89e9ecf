/** Purchases in any order: one after the other as a small model says, at once without breaking a rule. */
import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { refundPurchase } from '../../../src/play/packs/refund.ts'
import { statusOf } from '../../../src/play/purchases/purchase.ts'
import type { Answer } from '../../support/client.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  cancel,
  checkLedger,
  checkSupply,
  complete,
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

const FANS = 3
const POINTS = { amount: 100, currency: 'POINTS' }

type Step =
  | { kind: 'start'; fan: number }
  /** `nth`: index of the purchase, modulo the number of purchases. */
  | { kind: 'cancel' | 'complete' | 'open' | 'refund'; nth: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('start' as const), fan: fc.constantFrom(0, 0, 1, 2) }),
  },
  {
    weight: 2,
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
  points: fc.constantFrom(0, 150, 250),
})

/** Points for one, and two started. */
const SPENT_TWICE: Step[] = (['start', 'start', 'complete', 'complete'] as const).map((kind, nth) =>
  kind === 'start' ? { kind, fan: 0 } : { kind, nth },
)

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
  start: ['insufficient_points', 'ok', 'sold_out'],
}

interface Modelled {
  fan: number
  state: 'pending' | 'cancelled' | 'completed' | 'refund_due' | 'refunded'
  handedOver: boolean
  opened: boolean
  expiresAt: number
}

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
  private pay(fan: number, amount: number) {
    if (this.price.currency === 'POINTS') this.balances[fan] = (this.balances[fan] ?? 0) - amount
  }
  private short(fan: number) {
    return this.price.currency === 'POINTS' && (this.balances[fan] ?? 0) < this.price.amount
  }

  take(now: number, step: Step): string {
    if (step.kind === 'start') {
      if (this.sold + this.held(now) >= this.supply) return 'sold_out'
      if (this.short(step.fan)) return 'insufficient_points'
      const purchase = { fan: step.fan, state: 'pending', handedOver: false, opened: false } as const
      this.purchases.push({ ...purchase, expiresAt: now + HOLD })
      return 'ok'
    }
    const purchase = this.purchases[step.nth % this.purchases.length]
    if (!purchase) return 'skipped'
    if (step.kind === 'complete') return this.complete(now, purchase)
    if (step.kind === 'cancel') {
      if (purchase.state === 'pending' && now < purchase.expiresAt) purchase.state = 'cancelled'
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
  for (const fan of fans) {
    const { balance } = await balanceOf(fan)
    if (balance !== points) await world.grant(fan, points - balance)
  }
  const started: { id: string; fan: number }[] = []
  const before = new Map<string, string>()

  async function perform(step: Step): Promise<string> {
    if (step.kind === 'start') {
      const answer = await start(fans[step.fan] as Fan, packId)
      if (answer.status === 201) started.push({ id: answer.body.id, fan: step.fan })
      return codeOf(answer)
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
      .write(tx => refundPurchase(tx, purchase.id))
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
    while (fans.length < FANS) fans.push(await patientFan(world, 1))
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
      const balances = await Promise.all(fans.map(async fan => (await balanceOf(fan)).balance))
      expect(balances).toEqual(model.balances)
    })
    await fc.assert(property, {
      ...runs(),
      examples: [[{ price: POINTS, supply: 4, points: 150 }, SPENT_TWICE]],
    })
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
