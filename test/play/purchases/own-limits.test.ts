/** Limits of the fan’s own spending, and pauses: by hand, at random, and in two processes. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { realSources } from '../../../src/core/sources.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { readFanHead } from '../../../src/operate/admin/fans/head.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import type { SetLimits, SpendingLimit } from '../../../src/play/purchases/limit-schema.ts'
import { changeLimits, limitsAt, stricterOf } from '../../../src/play/purchases/own-limits.ts'
import { operationsOf, readDocument } from '../../platform/docs/document.ts'
import { root } from '../../support/dev.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { addPack, cancel, DAY, expectStatus, patientFan, refusal, start } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import {
  ADDRESS,
  addStock,
  buyWithMoney,
  cancelOrder,
  checkout,
  completeOrder,
  HOLD,
} from '../shop/orders-world.ts'
import { entryOf, record } from '../shop/products-world.ts'
import { randomOf } from '../shop/withdrawal-model.ts'
import { expectSound } from '../shop/withdrawals-world.ts'
import { cashEnv } from '../top-ups/cash-world.ts'
import { playLimits } from './own-limits-model.ts'

const euros = (amount: number) => ({ amount, currency: 'EUR' })
const monthly = (amount: number, currency = 'EUR'): SpendingLimit => ({ amount, currency, per: 'month' })
const setLimits = async (fan: Fan, change: object) =>
  expectStatus(200, await fan.patch('/api/user/limits', change))
const limitsOf = async (fan: Fan) => expectStatus(200, await fan.get('/api/user/limits'))
const topUp = (fan: Fan, amount: number) => fan.post('/api/cash/top-ups', euros(amount))

onEachEngine(
  'The limits of a fan',
  world => {
    test('are none until they are set, and their export has them', async () => {
      const fan = await patientFan(world)
      const none = { spending: null, next: null, pauseUntil: null, spent: null }
      expect(await limitsOf(fan)).toEqual(none)
      const set = await setLimits(fan, { spending: monthly(5_000) })
      expect(set).toMatchObject({ ...none, spending: monthly(5_000), spent: { amount: 0 } })
      expect(new Date(set.spent.until) > world.db.read.now()).toBe(true)
      const exported = await exportUser(world.db.read, { id: await userIdOf(world, fan) })
      expect(exported).toMatchObject({ limits: { spending: monthly(5_000) } })
    })

    test('count packs, orders and top-ups together, pending or paid, less refunds', async () => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: monthly(1_000) })
      const packId = await addPack(world, { price: euros(400) })
      const scarf = await addStock(world, null, { price: euros(300) })
      const purchase = expectStatus(201, await start(fan, packId))
      const order = expectStatus(201, await checkout(fan, scarf))
      expectStatus(201, await topUp(fan, 300))
      expect((await limitsOf(fan)).spent.amount).toBe(1_000)
      const refused = await start(fan, packId)
      expect(refusal(refused)).toEqual([409, 'spending_limit_reached'])
      expect(refused.body).toMatchObject({ ...monthly(1_000), available: 0 })
      expect(refusal(await checkout(fan, scarf))).toEqual([409, 'spending_limit_reached'])
      expect(refusal(await topUp(fan, 1))).toEqual([409, 'spending_limit_reached'])
      expectStatus(200, await cancel(fan, purchase.id))
      expect((await limitsOf(fan)).spent.amount).toBe(600)
      expectStatus(200, await cancelOrder(fan, order.id))
      expect((await checkout(fan, { productId: scarf, quantity: 3 })).body).toMatchObject({ available: 700 })
    })

    test('leave other currencies and free purchases alone', async () => {
      const fan = await patientFan(world, 500)
      await setLimits(fan, { spending: monthly(0) })
      expectStatus(201, await start(fan, await addPack(world)))
      expectStatus(201, await start(fan, await addPack(world, { price: euros(0) })))
      const scarf = await addStock(world, null, { price: euros(300) })
      expect(refusal(await checkout(fan, scarf))).toEqual([409, 'spending_limit_reached'])
      await setLimits(fan, { spending: monthly(0) })
    })

    test('count points as they count money', async () => {
      const fan = await patientFan(world, 1_000)
      await setLimits(fan, { spending: monthly(250, 'POINTS') })
      const packId = await addPack(world)
      expectStatus(201, await start(fan, packId))
      expectStatus(201, await start(fan, packId))
      expect((await start(fan, packId)).body).toMatchObject({ code: 'spending_limit_reached', available: 50 })
      expectStatus(201, await start(fan, await addPack(world, { price: euros(400) })))
    })

    test('do not count what expired, and begin again with the next period', async () => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: { ...euros(500), per: 'day' } })
      const scarf = await addStock(world, null, { price: euros(500) })
      expectStatus(201, await checkout(fan, scarf))
      expect(refusal(await topUp(fan, 1))).toEqual([409, 'spending_limit_reached'])
      world.clock.advance(HOLD)
      await buyWithMoneyLater(world, fan, scarf)
      expect(refusal(await topUp(fan, 1))).toEqual([409, 'spending_limit_reached'])
      world.clock.advance(DAY)
      expect((await limitsOf(fan)).spent.amount).toBe(0)
      expectStatus(201, await topUp(fan, 500))
    })

    test('are stricter at once, and looser after 24 hours', async () => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: monthly(1_000) })
      expect(await setLimits(fan, { spending: monthly(500) })).toMatchObject({
        spending: monthly(500),
        next: null,
      })
      const looser = await setLimits(fan, { spending: null })
      expect(looser).toMatchObject({ spending: monthly(500), next: { spending: null } })
      world.clock.advance(DAY / 2)
      // A repetition does not wait again.
      expect((await setLimits(fan, { spending: null })).next).toEqual(looser.next)
      expect(refusal(await topUp(fan, 600))).toEqual([409, 'spending_limit_reached'])
      world.clock.advance(DAY / 2)
      expect(await limitsOf(fan)).toMatchObject({ spending: null, next: null })
      expectStatus(201, await topUp(fan, 600))
    })

    test.each([
      ['nothing in a day', 0, 'month', 0, 'day'],
      ['a day that is a month at most', 3_100, 'month', 100, 'day'],
      ['a week that is a month at most', 600, 'month', 100, 'week'],
      ['a day that is a week at most', 700, 'week', 100, 'day'],
      ['a month that is a day at most', 100, 'day', 100, 'month'],
      ['a month that is half a week at most', 200, 'week', 100, 'month'],
    ] as const)('are stricter at once with another period: %s', async (_, before, of, amount, per) => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: { ...euros(before), per: of } })
      const changed = await setLimits(fan, { spending: { ...euros(amount), per } })
      expect(changed).toMatchObject({ spending: { ...euros(amount), per }, next: null })
    })

    test.each([
      ['a day that can be more than a month', 3_099, 'month', 100, 'day'],
      ['a week that can be more than a month', 599, 'month', 100, 'week'],
      ['a day that can be more than a week', 699, 'week', 100, 'day'],
      ['a month of which two are in a week', 199, 'week', 100, 'month'],
      ['another currency', 1_000, 'month', 1, 'POINTS'],
    ] as const)('are looser with another period, and wait: %s', async (_, before, of, amount, per) => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: { ...euros(before), per: of } })
      const wanted = per === 'POINTS' ? monthly(amount, per) : { ...euros(amount), per }
      const changed = await setLimits(fan, { spending: wanted })
      expect(changed).toMatchObject({ spending: { ...euros(before), per: of }, next: { spending: wanted } })
    })

    test('with another period count what was spent in the period that runs', async () => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: monthly(3_200) })
      expectStatus(201, await topUp(fan, 101))
      const daily = (amount: number) => ({ spending: { ...euros(amount), per: 'day' as const } })
      expect(await setLimits(fan, daily(100))).toMatchObject({ spending: monthly(3_200), next: daily(100) })
      expect(await setLimits(fan, daily(99))).toMatchObject({ ...daily(99), next: null })
      expect(await setLimits(fan, daily(0))).toMatchObject({ ...daily(0), next: null })
      expect(refusal(await topUp(fan, 1))).toEqual([409, 'spending_limit_reached'])
    })

    const CURRENCY = 'must be POINTS or a currency of ISO 4217, such as EUR'
    const PER = 'must be "day" or "week" or "month"'
    const AMOUNT = `must be a whole number of 0 to ${Number.MAX_SAFE_INTEGER}`
    test.each([
      ['currency', 'XYZ', CURRENCY],
      ['currency', 'eur', CURRENCY],
      ['per', 'year', PER],
      ['per', undefined, 'is required'],
      ['amount', -1, AMOUNT],
      ['amount', 1.5, AMOUNT],
    ])(
      'that are wrong are refused with the member and what it takes: %s %p',
      async (member, value, message) => {
        const fan = await patientFan(world)
        const { status, body } = await fan.patch('/api/user/limits', {
          spending: { ...monthly(100), [member]: value },
        })
        expect([status, body.errors]).toEqual([422, [{ pointer: `/spending/${member}`, message }]])
      },
    )

    test('a stricter limit ends the wait for a looser one', async () => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: monthly(1_000) })
      await setLimits(fan, { spending: monthly(2_000) })
      expect(await setLimits(fan, { spending: monthly(1_000) })).toMatchObject({ next: null })
      world.clock.advance(DAY)
      expect((await limitsOf(fan)).spending).toEqual(monthly(1_000))
    })

    test('a pause stops every purchase, and cannot be ended at once', async () => {
      const fan = await patientFan(world, 500)
      const now = world.db.read.now().getTime()
      const pauseUntil = new Date(now + 7 * DAY).toISOString()
      expect((await setLimits(fan, { pauseUntil })).pauseUntil).toBe(pauseUntil)
      const packId = await addPack(world)
      const refused = await start(fan, packId)
      expect(refusal(refused)).toEqual([409, 'paused'])
      expect(refused.body.until).toBe(pauseUntil)
      expect(refusal(await checkout(fan, await addStock(world, null)))).toEqual([409, 'paused'])
      expect(refusal(await topUp(fan, 1))).toEqual([409, 'paused'])
      const tomorrow = new Date(now + DAY).toISOString()
      expect((await setLimits(fan, { pauseUntil: null })).pauseUntil).toBe(tomorrow)
      world.clock.advance(DAY)
      expectStatus(201, await start(fan, packId))
    })

    test.each([
      ['in the past', -DAY],
      ['longer than five years', 6 * 366 * DAY],
    ])('a pause that is %s is refused', async (_title, after) => {
      const fan = await patientFan(world)
      const pauseUntil = new Date(world.db.read.now().getTime() + after).toISOString()
      const refused = await fan.patch('/api/user/limits', { pauseUntil })
      expect(refused.status).toBe(422)
      expect(refused.body.errors[0].pointer).toBe('/pauseUntil')
      expect((await limitsOf(fan)).pauseUntil).toBeNull()
    })

    test('a purchase that began before the pause can be paid', async () => {
      const fan = await patientFan(world)
      const scarf = await addStock(world, null, { price: euros(0) })
      const { id } = expectStatus(201, await checkout(fan, scarf))
      await setLimits(fan, { pauseUntil: new Date(world.db.read.now().getTime() + DAY).toISOString() })
      expectStatus(200, await completeOrder(fan, id))
    })

    test('are seen by staff who see money', async () => {
      const fan = await patientFan(world)
      await setLimits(fan, { spending: monthly(100) })
      const id = await userIdOf(world, fan)
      const limitsFor = async (money: boolean) =>
        (await readFanHead(world.db.read, id, { personal: true, moderation: true, money })).limits
      expect(await limitsFor(true)).toEqual({ spending: monthly(100), next: null, pauseUntil: null })
      expect(await limitsFor(false)).toBeNull()
    })

    test('of merged fans the stricter stays', async () => {
      const [from, into] = [await patientFan(world), await patientFan(world)]
      await setLimits(from, { spending: monthly(100) })
      await setLimits(into, { spending: monthly(900) })
      const [fromId, intoId] = [await userIdOf(world, from), await userIdOf(world, into)]
      const by = { mergedBy: 'test', reason: null }
      await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, ...by }))
      expect((await limitsOf(into)).spending).toEqual(monthly(100))
    })
  },
  { env: { CASH_CURRENCIES: 'EUR', PAYMENT_GATEWAY: 'sandbox' } },
)

onEachEngine(
  'What counts against a limit',
  world => {
    test('is what is pending or paid less what went back, after refunds, withdrawals, returns and disputes in any order', async () => {
      const done = new Set<string>()
      for (let seed = 1; seed <= 10; seed++)
        for (const what of await playLimits(world, randomOf(seed))) done.add(what)
      for (const what of [
        ...['refused', 'cancel', 'ship', 'withdraw', 'return', 'open', 'kept', 'lost', 'lost in part'],
        ...['pack', 'order', 'top-up'].flatMap(kind => [`pay ${kind}`, `refund ${kind}`]),
      ])
        expect(done).toContain(what)
      await expectSound(world)
    })

    test('is changed by no operation of staff or systems: one of the fan alone takes a limit or a pause', async () => {
      const takes = operationsOf(await readDocument(world)).filter(({ operation }) =>
        /"(spending|pauseUntil)":/.test(JSON.stringify(operation.requestBody ?? {})),
      )
      expect(takes.map(({ operation }) => operation.operationId)).toEqual(['setOwnLimits'])
      expect(takes[0]?.operation.security).toEqual([{ signIn: [] }, { bearer: [] }])
      const console = readFileSync(join(root, 'src/console/generated.ts'), 'utf8')
      expect(console).toContain('requestBody')
      expect(console).not.toMatch(/\b(setOwnLimits|ChangeLimits|pauseUntil\?)/)
    })
  },
  {
    env: {
      ...cashEnv,
      PAYMENT_GATEWAY: 'sandbox',
      OPEN_ORDERS_PER_FAN: '1000',
      PACK_HOLDS_PER_FAN: '1000',
    },
  },
)

/** After the wait for the hold that was not paid. */
async function buyWithMoneyLater(world: World, fan: Fan, productId: string) {
  world.clock.advance(5 * 60_000)
  await buyWithMoney(fan, productId)
}

const NOW = new Date('2026-11-24T12:00:00.000Z')
const NONE: SetLimits = { spending: null, next: null, pauseUntil: null }

/** Hours after `NOW`. */
const hour = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)
const anyLimit = fc.option(
  fc.record({
    amount: fc.integer({ min: 0, max: 4 }),
    currency: fc.constantFrom('EUR', 'POINTS'),
    per: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
  }),
)
const allows = ({ spending }: SetLimits, amount: number) =>
  spending === null || spending.currency !== 'EUR' || amount <= spending.amount

describe('Changes of limits at random', () => {
  test('never allow at once what was forbidden, and let nothing wait for more than 24 hours', () => {
    const changes = fc.array(fc.record({ spending: anyLimit, after: fc.integer({ min: 0, max: 30 }) }))
    fc.assert(
      fc.property(changes, steps => {
        let [limits, hours] = [NONE, 0]
        for (const { spending, after } of steps) {
          hours += after
          const before = limitsAt(limits, hour(hours))
          limits = changeLimits(limits, { spending }, hour(hours))
          for (const amount of [0, 1, 2, 3, 4])
            if (!allows(before, amount)) expect(allows(limits, amount)).toBe(false)
          const settled = limitsAt(limits, hour(hours + 24))
          expect(settled).toMatchObject({ next: null, spending })
        }
      }),
    )
  })

  test('a pause never ends within 24 hours of its change', () => {
    const hours = fc.integer({ min: 1, max: 60 })
    fc.assert(
      fc.property(hours, fc.integer({ min: 0, max: 30 }), fc.option(hours), (until, at, wanted) => {
        const paused = changeLimits(NONE, { pauseUntil: hour(until).toISOString() }, NOW)
        fc.pre(at < until)
        const pauseUntil = wanted === null ? null : hour(at + wanted).toISOString()
        const changed = changeLimits(paused, { pauseUntil }, hour(at)).pauseUntil
        expect(new Date(changed ?? 0) >= hour(Math.min(until, at + 24))).toBe(true)
      }),
    )
  })

  test('of two, the stricter is the same in either order where one forbids all that the other does', () => {
    const strict: SetLimits = { ...NONE, spending: monthly(1) }
    const loose: SetLimits = {
      ...NONE,
      spending: { ...monthly(5), per: 'week' },
      pauseUntil: NOW.toISOString(),
    }
    const both = { ...strict, pauseUntil: NOW.toISOString() }
    expect([stricterOf(strict, loose), stricterOf(loose, strict)]).toEqual([both, both])
    expect([stricterOf(NONE, strict), stricterOf(strict, NONE)]).toEqual([strict, strict])
  })
})

for (const engine of engines)
  describe(`A limit of one’s own in two processes (${engine.name})`, () => {
    const settings = { PAYMENT_GATEWAY: 'sandbox', OPEN_ORDERS_PER_FAN: '1000', CASH_CURRENCIES: 'EUR' }
    const processes = useTwoProcesses(engine, settings, realSources)

    test('holds for packs, orders and top-ups that are started at once', async () => {
      const entry = entryOf({
        variants: [{ id: 'one', name: 'One size', stock: null }],
        price: euros(100),
      })
      await processes.db.write(tx => writeRecord(tx, record(entry)))
      const packId = await addPack(processes, { price: euros(100) })
      for (let n = 1; n <= 5; n++) {
        const { token } = await processes.fan(n)
        const limit = { spending: monthly(500) }
        expect((await processes.call(n, token, 'PATCH', '/api/user/limits', limit)).status).toBe(200)
        const lines = [{ productId: entry.id, quantity: 1 }]
        const starts = Array.from({ length: 18 }, (_, index) => {
          const call = (path: string, body: object) => processes.call(index, token, 'POST', path, body)
          if (index % 3 === 0) return call('/api/packs/purchase', { packId })
          if (index % 3 === 1) return call('/api/checkout', { lines, address: ADDRESS })
          return call('/api/cash/top-ups', euros(100))
        })
        const answers = await Promise.all(starts)
        expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
        const refused = answers.filter(({ status }) => status !== 201).map(({ body }) => body.code)
        expect(new Set(refused)).toEqual(new Set(['spending_limit_reached']))
        const { body } = await processes.call(n, token, 'GET', '/api/user/limits')
        expect(body).toMatchObject({ spent: { amount: 500 } })
      }
    })
  })
