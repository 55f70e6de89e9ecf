/** Orders that are not paid: what they hold, how much one fan can hold, and how long they wait afterwards. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { sweepPointsHolds } from '../../../src/economy/points/holds.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { deleteUnpaidPurchases } from '../../../src/play/packs/purchases.ts'
import { waitsUntil } from '../../../src/play/purchases/unpaid-holds.ts'
import { deleteUnpaidOrders } from '../../../src/play/shop/sweep-orders.ts'
import { deleteUnpaidTopUps } from '../../../src/play/top-ups/top-ups.ts'
import type { Answer } from '../../support/client.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import {
  addPack,
  buy,
  cancel,
  DAY,
  expectStatus,
  MINUTE,
  patientFan,
  refusal,
  start,
} from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import { findingsOf } from '../top-ups/cash-world.ts'
import {
  addStock,
  buyWithMoney,
  cancelOrder,
  checkout,
  completeOrder,
  HOLD,
  POINTS,
  pay,
} from './orders-world.ts'
import { addProduct, entryOf } from './products-world.ts'

const heldBy = async (fan: Fan): Promise<number> => (await fan.get('/api/user/points')).body.held
const expectSound = async (world: World) => expect(await findingsOf(world)).toEqual([])
const short = (answer: Answer) => [...refusal(answer), answer.body.points, answer.body.missingPoints]

onEachEngine('Points of an unpaid order', world => {
  test('are in the balance, shown as held, and cannot be spent on anything else', async () => {
    const fan = await patientFan(world, 250)
    const productId = await addStock(world, 9, { price: POINTS })
    expectStatus(201, await checkout(fan, { productId, quantity: 2 }))
    const { body } = await fan.get('/api/user/points')
    expect([body.balance, body.held, body.lifetime]).toEqual([250, 200, 250])
    for (const path of ['/api/user/profile', '/api/dashboard'])
      expect((await fan.get(path)).body).toMatchObject({ points: 250, held: 200 })
    const refused = [409, 'insufficient_points', 50, 50]
    expect(short(await checkout(fan, productId))).toEqual(refused)
    expect(short(await start(fan, await addPack(world)))).toEqual(refused)
    const grant = { fan: { userId: await userIdOf(world, fan) }, delta: -100, ref: 'spent-at-the-desk' }
    const granter = { source: 'desk', provider: world.config.identity.name }
    const taken = world.db.write(tx => grantPoints(tx, granter, grant))
    await expect(taken).rejects.toMatchObject({ code: 'insufficient_points', members: { points: 50 } })
    await expectSound(world)
  })

  test('count for thresholds', async () => {
    const fan = await patientFan(world, 100)
    expectStatus(201, await checkout(fan, await addStock(world, 1, { price: POINTS })))
    const rewardId = await world.reward({ pointsRequired: 100 })
    expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
  })

  test('of a pack are held in the same way', async () => {
    const fan = await patientFan(world, 150)
    const { id } = expectStatus(201, await start(fan, await addPack(world)))
    expect(await heldBy(fan)).toBe(100)
    expect(short(await checkout(fan, await addStock(world, 1, { price: POINTS })))).toEqual([
      ...[409, 'insufficient_points', 50, 50],
    ])
    expectStatus(200, await cancel(fan, id))
    expect(await heldBy(fan)).toBe(0)
    await buy(fan, await addPack(world))
  })

  test('are free again when it is paid, cancelled or expired, or when the fan is erased', async () => {
    const productId = await addStock(world, 9, { price: POINTS })
    const ends: ((fan: Fan, id: string) => Promise<unknown>)[] = [
      completeOrder,
      cancelOrder,
      async () => world.clock.advance(HOLD),
      ({ subject }) => world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject })),
    ]
    for (const end of ends) {
      const fan = await patientFan(world, 100)
      const userId = (await userIdOf(world, fan)) ?? ''
      const { id } = expectStatus(201, await checkout(fan, productId))
      expect(await heldBy(fan)).toBe(100)
      await end(fan, id)
      if (end !== ends[3]) expect(await heldBy(fan)).toBe(0)
      const { pointsHolds } = world.db.tables
      world.clock.advance(2 * HOLD)
      await sweepPointsHolds(world.db)
      world.clock.advance(HOLD)
      await sweepPointsHolds(world.db)
      const left = await world.db.read.select().from(pointsHolds).where(eq(pointsHolds.userId, userId))
      expect(left).toEqual([])
    }
    await expectSound(world)
  })

  test('that were taken back meanwhile pay the order that is paid first', async () => {
    const fan = await patientFan(world, 120)
    const productId = await addStock(world, 9, { price: { amount: 60, currency: 'POINTS' } })
    const [one, other] = [await checkout(fan, productId), await checkout(fan, productId)]
    await world.grant(fan, -20)
    expect(await heldBy(fan)).toBe(120)
    expectStatus(200, await completeOrder(fan, other.body.id))
    expect(short(await completeOrder(fan, one.body.id))).toEqual([409, 'insufficient_points', 40, 20])
    expectStatus(200, await cancelOrder(fan, one.body.id))
    await expectSound(world)
  })

  test('move with the fan into another one, and pay the order there', async () => {
    const [from, into] = [await patientFan(world, 100), await patientFan(world, 30)]
    const { id } = expectStatus(201, await checkout(from, await addStock(world, 1, { price: POINTS })))
    const ids = { from: (await userIdOf(world, from)) ?? '', into: (await userIdOf(world, into)) ?? '' }
    await world.db.write(tx => mergeFans(tx, { ...ids, mergedBy: 'Ana', reason: null }))
    const { body } = await into.get('/api/user/points')
    expect([body.balance, body.held]).toEqual([130, 100])
    expectStatus(200, await completeOrder(into, id))
    expect(await heldBy(into)).toBe(0)
    await expectSound(world)
  })
})

onEachEngine('Units in unpaid orders', world => {
  test('of a product without maxPerFan are at most HELD_UNITS_PER_FAN', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 100)
    const take = (quantity: number) => checkout(fan, { productId, quantity })
    expect((await take(11)).body).toMatchObject({ code: 'limit_reached', maxPerFan: 10, available: 10 })
    const { id } = expectStatus(201, await take(7))
    expect((await take(4)).body).toMatchObject({ code: 'limit_reached', available: 3 })
    expectStatus(201, await take(3))
    expect((await take(1)).body).toMatchObject({ code: 'limit_reached', available: 0 })
    expectStatus(201, await checkout(fan, await addStock(world, 100)))
    // What is paid is not held.
    expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
    expectStatus(201, await take(7))
  })

  test('are limited neither for a product with a larger maxPerFan nor for a stock without a limit', async () => {
    const fan = await patientFan(world)
    const [set, unlimited] = [await addStock(world, 100, { maxPerFan: 30 }), await addStock(world, null)]
    for (const productId of [set, unlimited])
      expectStatus(201, await checkout(fan, { productId, quantity: 30 }))
  })

  test('of variants without a limited stock leave room for those with one', async () => {
    const fan = await patientFan(world)
    const variants = [
      { id: 'few', name: 'Few', stock: 100 },
      { id: 'many', name: 'Many' },
    ]
    const entry = entryOf({ variants })
    await addProduct(world, entry)
    const take = (few: number, many: number) =>
      checkout(
        fan,
        ...[few, many].flatMap((quantity, index) =>
          quantity === 0 ? [] : { productId: entry.id, variantId: variants[index]?.id ?? '', quantity },
        ),
      )
    expectStatus(201, await take(0, 30))
    expectStatus(201, await take(4, 20))
    expect((await take(7, 1)).body).toMatchObject({ code: 'limit_reached', available: 6 })
    expectStatus(201, await take(6, 0))
    expect((await take(1, 0)).body).toMatchObject({ code: 'limit_reached', available: 0 })
    expectStatus(201, await take(0, 1))
  })
})

describe('The wait after unpaid holds', () => {
  const at = (minutes: number) => new Date(minutes * MINUTE)
  const price = (priceAmount: number, priceCurrency = 'EUR') => ({ priceAmount, priceCurrency })
  const expired = (from: number) => ({
    ...{ status: 'pending', ...price(1), completedAt: null, cancelledAt: null },
    ...{ createdAt: at(from), expiresAt: at(from + 30) },
  })
  const cancelled = (from: number, to: number) => ({
    ...expired(from),
    status: 'cancelled',
    cancelledAt: at(to),
  })
  const paid = (from: number, priceAmount = 1) => ({
    ...{ ...expired(from), priceAmount },
    ...{ status: 'completed', completedAt: at(from + 1) },
  })
  const minutesOf = (until: Date | null) => until && until.getTime() / MINUTE

  test.each([
    ['nothing', [], null],
    ['a pending one', [expired(990)], null],
    ['one that expired', [expired(100)], 130 + 2],
    ['two', [expired(100), expired(200)], 230 + 10],
    ['three', [expired(100), expired(200), expired(300)], 330 + 60],
    ['four', [0, 100, 200, 300].map(expired), 330 + 360],
    ['many', [0, 10, 20, 30, 40, 50, 60, 70].map(expired), 100 + 1440],
    ['one before a payment', [expired(100), paid(110)], null],
    ['one after a payment', [paid(100), expired(200)], 230 + 2],
    ['one before a free order', [expired(100), paid(200, 0)], 130 + 2],
    ['one that was cancelled late', [cancelled(100, 129)], null],
    ['one that cost more than what was paid', [{ ...expired(100), ...price(2) }, paid(110)], 130 + 2],
    ['two that cost more together', [expired(100), { ...expired(105), ...price(2) }, paid(110, 2)], 135 + 2],
    ['two that cost as much together', [expired(100), { ...expired(105), ...price(2) }, paid(110, 3)], null],
    ['two before two payments', [expired(100), expired(105), paid(110), paid(120)], null],
    ['one before a payment in points', [expired(100), { ...paid(110), ...price(9, 'POINTS') }], 130 + 2],
    [
      'one before a payment that was refunded in part',
      [
        { ...expired(100), ...price(2) },
        { ...paid(110, 2), refundedAmount: 1 },
      ],
      130 + 2,
    ],
    ['two that were cancelled late', [cancelled(100, 129), cancelled(200, 229)], 229 + 2],
    ['six that were cancelled at once', [1, 2, 3, 4, 5, 6].map(n => cancelled(n, n)), 6 + 2],
  ] as const)('of %s', (_, holds, until) => {
    expect(minutesOf(waitsUntil([...holds], at(1000)))).toBe(until)
  })
})

onEachEngine('A fan whose orders expired unpaid', world => {
  const refusedUntil = (answer: Answer) => {
    expect(refusal(answer)).toEqual([429, 'rate_limited'])
    return [
      new Date(/at (\S+Z)/.exec(answer.body.detail)?.[1] ?? '').getTime(),
      answer.headers.get('retry-after'),
    ]
  }

  test('waits longer each time, until they pay for as much', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const productId = await addStock(world, 10)
    for (const minutes of [2, 10, 60]) {
      expectStatus(201, await checkout(fan, productId))
      world.clock.advance(HOLD)
      const until = world.clock.ms + minutes * MINUTE
      expect(refusedUntil(await checkout(fan, productId))).toEqual([until, String(minutes * 60)])
      expectStatus(201, await checkout(other, productId))
      world.clock.advance(minutes * MINUTE - 1)
      expect((await checkout(fan, productId)).status).toBe(429)
      world.clock.advance(1)
    }
    await buyWithMoney(fan, { productId, quantity: 3 })
    world.clock.advance(1)
    expectStatus(201, await checkout(fan, productId))
    world.clock.advance(HOLD)
    const [until] = refusedUntil(await checkout(fan, productId))
    expect(until).toBe(world.clock.ms + 2 * MINUTE)
  })

  test('still pays what is pending, and waits for packs by packs alone', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 10)
    expectStatus(201, await checkout(fan, productId))
    world.clock.advance(HOLD - MINUTE)
    const { id } = expectStatus(201, await checkout(fan, productId))
    world.clock.advance(MINUTE)
    expect((await checkout(fan, productId)).status).toBe(429)
    expectStatus(201, await start(fan, await addPack(world, { price: { amount: 5, currency: 'EUR' } })))
    expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
  })

  test('of starting and cancelling without end is refused', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 10)
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) {
      const { status, body } = await checkout(fan, productId)
      statuses.push(status)
      if (status === 201) await cancelOrder(fan, body.id)
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 429, 429])
  })
})

onEachEngine('Unpaid purchases', world => {
  test('are deleted 90 days after they expired, and paid ones stay', async () => {
    const fan = await patientFan(world, 500)
    const productId = await addStock(world, 50)
    const paid = await buyWithMoney(fan, productId)
    const bought = await buy(fan, await addPack(world))
    const cancelled = expectStatus(201, await checkout(fan, productId)).id
    await cancelOrder(fan, cancelled)
    expectStatus(201, await checkout(fan, productId))
    expectStatus(201, await start(fan, await addPack(world)))
    const { topUps, orders, packPurchases } = world.db.tables
    const userId = (await userIdOf(world, fan)) ?? ''
    const now = world.db.read.now()
    await world.db.write(async tx => {
      const money = {
        priceAmount: 5,
        priceCurrency: 'EUR',
        createdAt: now,
        expiresAt: new Date(now.getTime() + HOLD),
      }
      await tx.insert(topUps).values({ ...money, id: 'top-up-of-fan', userId, status: 'pending' })
    })
    const sweep = async () => [
      await deleteUnpaidOrders(world.db),
      await deleteUnpaidPurchases(world.db),
      await deleteUnpaidTopUps(world.db),
    ]
    world.clock.advance(90 * DAY)
    await sweepPointsHolds(world.db)
    expect(await sweep()).toEqual([0, 0, 0])
    world.clock.advance(HOLD)
    expect(await sweep()).toEqual([2, 1, 1])
    const idsOf = async (table: typeof orders | typeof packPurchases) =>
      (await world.db.read.select({ id: table.id }).from(table).where(eq(table.userId, userId))).map(
        ({ id }) => id,
      )
    expect(await idsOf(orders)).toEqual([paid.id])
    expect(await idsOf(packPurchases)).toEqual([bought.id])
    await expectSound(world)
  })
})
