/** Withdrawal from orders: by line, before and after the delivery, by every means of payment. */
import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { and, eq, isNull } from 'drizzle-orm'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { paidByLine, paidForUnits } from '../../../src/play/shop/paid-amounts.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { overrideSettings } from '../../support/settings.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  DAY,
  expectStatus,
  open,
  patientFan,
  refusal,
  userIdOf,
} from '../packs/packs-world.ts'
import { cashEnv, cashOf, topUp } from '../top-ups/cash-world.ts'
import {
  ADDRESS,
  addStock,
  buyWithMoney,
  checkout,
  completeOrder,
  freeStock,
  orderOf,
  POINTS,
  pay,
} from './orders-world.ts'
import { changeLine, countingPayments, expectSound, payOut, withdraw } from './withdrawals-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'matchday-withdrawals-'))
writeFileSync(join(folder, 'wallpaper.png'), 'the wallpaper')

const EUROS = (amount: number) => ({ amount, currency: 'EUR' })
const warehouseOf = async (world: World) => world.withToken(await world.serverKey(['orders:write']))
const deskOf = async (world: World) =>
  world.withToken(await world.serverKey(['redemptions:read', 'redemptions:write']))

test('what was paid for lines and units adds up to the price, and is never negative', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = (max: number) => (Math.imul(seed, 48271) >>> (max % 7)) % max
    const lines = Array.from({ length: 1 + (seed % 5) }, (_, index) => ({
      quantity: 1 + ((seed * (index + 3)) % 7),
      priceAmount: (seed * 37 * (index + 1)) % 5_000,
    }))
    const sum = lines.reduce((total, { quantity, priceAmount }) => total + quantity * priceAmount, 0)
    const discount = random(sum + 1)
    const paid = paidByLine(lines, discount)
    expect(paid.reduce((total, amount) => total + amount, 0)).toBe(sum - discount)
    for (const [index, { quantity, priceAmount }] of lines.entries()) {
      const own = paid[index] ?? -1
      expect(own >= 0 && own <= quantity * priceAmount).toBe(true)
      expect(paidForUnits(own, quantity, 0)).toBe(0)
      expect(paidForUnits(own, quantity, quantity)).toBe(own)
    }
  }
  expect(
    paidByLine(
      [1_000, 2_000].map(priceAmount => ({ quantity: 1, priceAmount })),
      100,
    ),
  ).toEqual([967, 1_933])
  expect(
    paidByLine(
      [1, 1, 1].map(priceAmount => ({ quantity: 1, priceAmount })),
      2,
    ),
  ).toEqual([1, 0, 0])
})

onEachEngine(
  'A withdrawal',
  world => {
    async function ordersPaidOf(subject: string) {
      const { events } = world.db.tables
      const userId = (await userIdOf(world, { subject })) ?? ''
      const rows = await world.db.read
        .select()
        .from(events)
        .where(and(eq(events.userId, userId), eq(events.type, 'order.paid'), isNull(events.voidedAt)))
      return rows.map(({ data }) => JSON.parse(data ?? '{}'))
    }

    test('before the delivery refunds a line, and with the last one the order, of money, and leaves nothing to ship', async () => {
      const fan = await patientFan(world)
      const [scarf, shirt] = [await addStock(world, 5), await addStock(world, 5, { price: EUROS(7_900) })]
      const rule = await addRule(world, {
        eventType: 'order.paid',
        when: [{ path: '/total/currency', op: 'eq', value: 'EUR' }],
        points: { per: '/total/amount', every: 1, points: 1 },
      })
      const { id } = await buyWithMoney(fan, { productId: scarf, quantity: 2 }, shirt)
      expect((await balanceOf(fan)).balance).toBe(11_700)
      const part = expectStatus(200, await withdraw(fan, id, [1]))
      expect(part).toMatchObject({
        status: 'paid',
        refunded: { amount: 3_800, currency: 'EUR' },
        lines: [
          { state: 'returned', withdrawnAt: expect.any(String) },
          { state: 'none', withdrawnAt: null },
        ],
      })
      expect(await freeStock(world, scarf)).toBe(5)
      expect((await balanceOf(fan)).balance).toBe(7_900)
      expect(await ordersPaidOf(fan.subject)).toMatchObject([
        { orderId: id, total: { amount: 7_900 }, lines: [{ productId: shirt, quantity: 1 }] },
      ])
      expect(expectStatus(200, await withdraw(fan, id, [1]))).toEqual(part)
      const warehouse = await warehouseOf(world)
      expect(refusal(await changeLine(warehouse, id, 1, 'ready'))).toEqual([409, 'line_state_not_allowed'])
      expect(expectStatus(200, await withdraw(fan, id)).refunded).toEqual({ amount: 11_700, currency: 'EUR' })
      await payOut(world, id)
      expect(await orderOf(fan, id)).toMatchObject({ status: 'refunded' })
      expect((await balanceOf(fan)).balance).toBe(0)
      expect(await ordersPaidOf(fan.subject)).toEqual([])
      expect(rule).toBeDefined()
      await expectSound(world)
    })

    test('asks the gateway for each part once, with its own id', async () => {
      const fan = await patientFan(world)
      const warehouse = await warehouseOf(world)
      const [a, b] = [await addStock(world, 5), await addStock(world, 5, { price: EUROS(700) })]
      const { id } = await buyWithMoney(fan, a, b)
      const { payments, refunds } = countingPayments(world)
      const paying = { ...world.deps, payments }
      for (const state of ['ready', 'shipped']) expectStatus(200, await changeLine(warehouse, id, 2, state))
      expectStatus(200, await withdraw(fan, id))
      expect(await orderOf(fan, id)).toMatchObject({
        status: 'paid',
        refunded: { amount: 1_900 },
        lines: [{ state: 'returned' }, { state: 'shipped', withdrawnAt: expect.any(String) }],
      })
      const { payOutDue } = await import('../../../src/play/shop/pay-out.ts')
      await payOutDue(paying, () => false)
      expectStatus(200, await changeLine(warehouse, id, 2, 'delivered'))
      expect(expectStatus(200, await changeLine(warehouse, id, 2, 'returned'))).toMatchObject({
        refunded: { amount: 2_600 },
      })
      await payOutDue(paying, () => false)
      await payOutDue(paying, () => false)
      expect(await orderOf(fan, id)).toMatchObject({ status: 'refunded' })
      // The application pays out as well: a gateway makes a refund of an id once.
      for (const [key, amount] of refunds) expect([`${id}:1 1900`, `${id} 700`]).toContain(`${key} ${amount}`)
      await expectSound(world)
    })

    test('returns points and cash to where they came from', async () => {
      const fan = await patientFan(world, 1_000)
      const [a, b] = [
        await addStock(world, 5, { price: POINTS }),
        await addStock(world, 5, { price: POINTS }),
      ]
      const { id } = expectStatus(201, await checkout(fan, a, { productId: b, quantity: 2 }))
      expectStatus(200, await completeOrder(fan, id))
      expectStatus(200, await withdraw(fan, id, [2]))
      expect((await balanceOf(fan)).balance).toBe(900)
      expect(expectStatus(200, await withdraw(fan, id))).toMatchObject({ status: 'refunded' })
      expect((await balanceOf(fan)).balance).toBe(1_000)

      await topUp(fan, 5_000)
      const c = await addStock(world, 5)
      const byCash = expectStatus(201, await checkout(fan, c, { productId: await addStock(world, 2) }))
      expectStatus(200, await fan.post('/api/checkout/payment', { orderId: byCash.id, method: 'cash' }))
      expectStatus(200, await completeOrder(fan, byCash.id))
      expect(await cashOf(world, fan)).toEqual([1_200, 0])
      expectStatus(200, await withdraw(fan, byCash.id, [1]))
      expect(await cashOf(world, fan)).toEqual([3_100, 0])
      expect(expectStatus(200, await withdraw(fan, byCash.id))).toMatchObject({ status: 'refunded' })
      expect(await cashOf(world, fan)).toEqual([5_000, 0])
      await expectSound(world)
    })

    test('takes back vouchers and packs that are not used, and refuses the rest', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world)
      const pack = await addStock(world, 5, { kind: 'pack', delivers: { packId }, price: EUROS(300) })
      const voucher = await addStock(world, 5, {
        ...{ kind: 'voucher', delivers: {}, price: EUROS(500) },
        maxPerFan: 3,
      })
      const { id, lines } = await buyWithMoney(
        fan,
        { productId: pack, quantity: 2 },
        { productId: voucher, quantity: 3 },
      )
      const { packs } = expectStatus(200, await fan.get('/api/user/packs'))
      expectStatus(200, await open(fan, packs[0].id))
      const desk = await deskOf(world)
      expectStatus(200, await desk.post(`/api/redemptions/${lines[1].vouchers[0].code}/use`))
      const order = expectStatus(200, await withdraw(fan, id))
      expect(order).toMatchObject({ status: 'fulfilled', refunded: { amount: 1_300 } })
      expect(order.lines[1].vouchers.map(({ state }: { state: string }) => state).toSorted()).toEqual([
        'used',
        'void',
        'void',
      ])
      expect(
        expectStatus(200, await fan.get('/api/user/packs')).packs.filter(
          ({ state }: { state?: string }) => state === 'sealed',
        ),
      ).toEqual([])
      expect(expectStatus(200, await withdraw(fan, id))).toEqual(order)
      expect([await freeStock(world, pack), await freeStock(world, voucher)]).toEqual([4, 4])
      await payOut(world, id)
      await expectSound(world)

      const tooMany = await checkout(fan, { productId: voucher, quantity: 3 })
      expect([...refusal(tooMany), tooMany.body.available]).toEqual([409, 'limit_reached', 2])
      const used = await buyWithMoney(fan, voucher)
      expectStatus(200, await desk.post(`/api/redemptions/${used.lines[0].vouchers[0].code}/use`))
      expect(refusal(await withdraw(fan, used.id))).toEqual([409, 'already_used'])
      expect(refusal(await withdraw(fan, used.id, [1]))).toEqual([409, 'already_used'])
    })

    test('of a file is possible until its link is asked for, and ends links', async () => {
      const fan = await patientFan(world)
      const file = await addStock(world, 9, { kind: 'digital', delivers: { file: 'wallpaper.png' } })
      const [kept, used] = [await buyWithMoney(fan, file), await buyWithMoney(fan, file)]
      expectStatus(200, await fan.get(`/api/user/orders/${used.id}/lines/1/download`))
      expect(refusal(await withdraw(fan, used.id))).toEqual([409, 'already_used'])
      expectStatus(200, await withdraw(fan, kept.id))
      expect(refusal(await fan.get(`/api/user/orders/${kept.id}/lines/1/download`))).toEqual([
        404,
        'no_download',
      ])
      await payOut(world, kept.id)
      await expectSound(world)
    })

    test('is refused for digital goods with a waiver, and takes the rest of the order', async () => {
      const fan = await patientFan(world)
      const [scarf, voucher] = [
        await addStock(world, 5),
        await addStock(world, 5, { kind: 'voucher', delivers: {}, price: EUROS(500) }),
      ]
      const { id, waiver } = expectStatus(
        201,
        await fan.post('/api/checkout', {
          lines: [scarf, voucher].map(productId => ({ productId, quantity: 1 })),
          address: ADDRESS,
          waiver: true,
        }),
      )
      expect(waiver).toBe(true)
      expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
      expect(refusal(await withdraw(fan, id, [1, 2]))).toEqual([409, 'withdrawal_waived'])
      expect(expectStatus(200, await withdraw(fan, id)).refunded.amount).toBe(1_900)
      expect(refusal(await withdraw(fan, id))).toEqual([409, 'withdrawal_waived'])
    })

    test('is possible until the end of the 14th day after the last delivery, or after the payment of digital goods', async () => {
      const fan = await patientFan(world)
      const warehouse = await warehouseOf(world)
      const voucher = await addStock(world, 5, { kind: 'voucher', delivers: {}, price: EUROS(500) })
      const { id } = await buyWithMoney(fan, await addStock(world, 5), await addStock(world, 5), voucher)
      for (const state of ['ready', 'shipped', 'delivered'])
        expectStatus(200, await changeLine(warehouse, id, 1, state))
      const midnight = Math.ceil(world.clock.now().getTime() / DAY) * DAY
      world.clock.advance(midnight + 14 * DAY - 1 - world.clock.now().getTime())
      expectStatus(200, await withdraw(fan, id, [3]))
      world.clock.advance(1)
      // The second scarf has not arrived.
      expectStatus(200, await withdraw(fan, id, [1]))
      const late = await buyWithMoney(fan, await addStock(world, 5), voucher)
      for (const state of ['ready', 'shipped', 'delivered'])
        expectStatus(200, await changeLine(warehouse, late.id, 1, state))
      world.clock.advance(15 * DAY)
      expect(refusal(await withdraw(fan, late.id))).toEqual([409, 'withdrawal_over'])
      expect(refusal(await withdraw(fan, late.id, [1]))).toEqual([409, 'withdrawal_over'])
    })

    test('ends at midnight in the time zone of the club, also when the clocks change', async () => {
      const restore = overrideSettings(world.db, { timeZone: 'Europe/Lisbon' })
      const voucher = await addStock(world, 5, { kind: 'voucher', delivers: {}, price: EUROS(500) })
      // Half an hour before midnight, a week before the clocks go forward.
      world.clock.advance(Date.parse('2027-03-20T23:30:00Z') - world.clock.ms)
      const fan = await patientFan(world)
      const [last, late] = [await buyWithMoney(fan, voucher), await buyWithMoney(fan, voucher)]
      world.clock.advance(Date.parse('2027-04-03T22:59:59.999Z') - world.clock.ms)
      expectStatus(200, await withdraw(fan, last.id))
      world.clock.advance(1)
      expect(refusal(await withdraw(fan, late.id))).toEqual([409, 'withdrawal_over'])
      restore()
    })

    test('is refused for an order that is not paid, is refunded, or is of another fan, and for an unknown line', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const { id } = expectStatus(201, await checkout(fan, await addStock(world, 5)))
      expect(refusal(await withdraw(fan, id))).toEqual([409, 'not_refundable'])
      expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
      expect(refusal(await withdraw(other, id))).toEqual([404, 'order_not_found'])
      expect(await withdraw(fan, id, [2])).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer: '/lines/0' }] },
      })
      await world.db.write(tx => refund(tx, orderKind, id))
      expect(refusal(await withdraw(fan, id))).toEqual([409, 'not_refundable'])
    })

    test('of what a voucher reduced returns what was paid, and the voucher with the last line', async () => {
      const fan = await patientFan(world)
      const credit = await buyWithMoney(
        fan,
        await addStock(world, 5, { kind: 'voucher', delivers: { credit: 1_000 }, price: EUROS(900) }),
      )
      const [a, b] = [await addStock(world, 5), await addStock(world, 5)]
      const { code } = credit.lines[0].vouchers[0]
      const { id } = expectStatus(
        201,
        await fan.post('/api/checkout', {
          lines: [a, b].map(productId => ({ productId, quantity: 1 })),
          address: ADDRESS,
          voucher: code,
        }),
      )
      expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
      expect(expectStatus(200, await withdraw(fan, id, [1])).refunded.amount).toBe(1_400)
      expect((await orderOf(fan, credit.id)).lines[0].vouchers[0].state).toBe('used')
      expect(expectStatus(200, await withdraw(fan, id, [2])).refunded.amount).toBe(2_800)
      expect((await orderOf(fan, credit.id)).lines[0].vouchers[0].state).toBe('valid')
      await payOut(world, id)
      await expectSound(world)
    })
  },
  { env: { ...cashEnv, DOWNLOADS: folder } },
)
