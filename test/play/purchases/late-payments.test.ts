/** Late payments of fans with a limit or a pause of their own: the money is delivered or due, and never exceeds the limit. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { realSources } from '../../../src/core/sources.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { findOfKinds } from '../../../src/play/purchases/kind.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import {
  addPack,
  complete,
  DAY,
  expectStatus,
  patientFan,
  receipt,
  refusal,
  start,
} from '../packs/packs-world.ts'
import { ADDRESS, addStock, checkout, completeOrder, HOLD } from '../shop/orders-world.ts'
import { entryOf, record } from '../shop/products-world.ts'
import { completeTopUp, startTopUp } from '../top-ups/cash-world.ts'

const PRICE = 300
const euros = { amount: PRICE, currency: 'EUR' }
const env = { CASH_CURRENCIES: 'EUR', PAYMENT_GATEWAY: 'sandbox', OPEN_ORDERS_PER_FAN: '1000' }

const KINDS = [
  {
    kind: 'pack',
    begin: async (world: World, fan: Fan) => start(fan, await addPack(world, { price: euros })),
    pay: complete,
    expired: 'purchase_expired',
  },
  {
    kind: 'order',
    begin: async (world: World, fan: Fan) => checkout(fan, await addStock(world, null, { price: euros })),
    pay: completeOrder,
    expired: 'order_expired',
  },
  {
    kind: 'top-up',
    begin: (_world: World, fan: Fan) => startTopUp(fan, PRICE),
    pay: completeTopUp,
    expired: 'top_up_expired',
  },
]

const limitTo = async (fan: Fan, amount: number, per = 'month') =>
  expectStatus(200, await fan.patch('/api/user/limits', { spending: { amount, currency: 'EUR', per } }))
const spentOf = async (fan: Fan): Promise<number> =>
  expectStatus(200, await fan.get('/api/user/limits')).spent.amount

async function statusOf({ deps: { db, purchaseKinds } }: World, id: string) {
  return (await findOfKinds(db.read, purchaseKinds, id))?.purchase.status
}

onEachEngine(
  'A late payment of a fan with a limit',
  world => {
    describe.each(KINDS)('for an expired $kind', ({ begin, pay, expired }) => {
      /** Paid at the gateway, and not completed before its hold has ended. */
      async function expire(fan: Fan) {
        const { id } = expectStatus(201, await begin(world, fan))
        const reference = await receipt(fan, id)
        world.clock.advance(HOLD)
        return { id, reference }
      }

      test('is refunded if what was bought meanwhile leaves no room for it', async () => {
        const fan = await patientFan(world)
        await limitTo(fan, 2 * PRICE - 1)
        const { id, reference } = await expire(fan)
        world.clock.advance(5 * 60_000)
        expectStatus(201, await startTopUp(fan, PRICE))
        const refused = await pay(fan, id, reference)
        expect(refusal(refused)).toEqual([409, expired])
        expect(refused.body.detail).toContain('refunded')
        expect(await statusOf(world, id)).toBe('refund_due')
        // A repetition says the same, and books nothing more.
        expect(refusal(await pay(fan, id, reference))).toEqual([409, expired])
        expect(
          await world.db.read
            .select()
            .from(world.db.tables.payments)
            .where(eq(world.db.tables.payments.purchaseId, id)),
        ).toHaveLength(1)
      })

      test('is delivered if the limit has room, and counts from then on', async () => {
        const fan = await patientFan(world)
        await limitTo(fan, 2 * PRICE)
        const { id, reference } = await expire(fan)
        expect(await spentOf(fan)).toBe(0)
        expectStatus(200, await pay(fan, id, reference))
        expect(await spentOf(fan)).toBe(PRICE)
        expectStatus(201, await startTopUp(fan, PRICE))
        expect(refusal(await startTopUp(fan, 1))).toEqual([409, 'spending_limit_reached'])
      })

      test('counts in the period in which it is paid', async () => {
        const fan = await patientFan(world)
        await limitTo(fan, PRICE, 'day')
        const { id, reference } = await expire(fan)
        world.clock.advance(DAY)
        expectStatus(200, await pay(fan, id, reference))
        expect(await spentOf(fan)).toBe(PRICE)
        expect(refusal(await startTopUp(fan, 1))).toEqual([409, 'spending_limit_reached'])
        world.clock.advance(DAY)
        expect(await spentOf(fan)).toBe(0)
      })

      test('is refunded during a pause, and one that is not late is delivered', async () => {
        const fan = await patientFan(world)
        const { id, reference } = await expire(fan)
        world.clock.advance(5 * 60_000)
        const pending = expectStatus(201, await begin(world, fan))
        const pauseUntil = new Date(world.db.read.now().getTime() + DAY).toISOString()
        expectStatus(200, await fan.patch('/api/user/limits', { pauseUntil }))
        expect(refusal(await pay(fan, id, reference))).toEqual([409, expired])
        expect(await statusOf(world, id)).toBe('refund_due')
        expectStatus(200, await pay(fan, pending.id, await receipt(fan, pending.id)))
      })

      test('in another currency than that of the limit is delivered', async () => {
        const fan = await patientFan(world)
        await fan.patch('/api/user/limits', { spending: { amount: 0, currency: 'GBP', per: 'day' } })
        const { id, reference } = await expire(fan)
        expectStatus(200, await pay(fan, id, reference))
      })
    })
  },
  { env },
)

for (const engine of engines)
  describe(`Late payments and purchases at once, in two processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine, env, realSources)
    const LIMIT = 500
    const price = { amount: 100, currency: 'EUR' }

    test('together never exceed the limit, and no payment is lost', async () => {
      const entry = entryOf({ variants: [{ id: 'one', name: 'One size', stock: null }], price })
      await processes.db.write(tx => writeRecord(tx, record(entry)))
      const packIds = [await addPack(processes, { price }), await addPack(processes, { price, supply: 100 })]
      const { packPurchases, orders, topUps, payments } = processes.db.tables
      for (let n = 1; n <= 4; n++) {
        const { id: userId, token } = await processes.fan(n)
        const call = async (index: number, method: string, path: string, body: object) =>
          processes.call(index, token, method, path, body)
        const begin = (index: number) =>
          [
            () => call(index, 'POST', '/api/packs/purchase', { packId: packIds[index % 2] }),
            () =>
              call(index, 'POST', '/api/checkout', {
                lines: [{ productId: entry.id, quantity: 1 }],
                address: ADDRESS,
              }),
            () => call(index, 'POST', '/api/cash/top-ups', price),
          ][index % 3]?.()
        const late: { id: string; reference: string }[] = []
        for (let index = 0; index < 6; index++) {
          const started = await begin(index)
          expect(started?.status).toBe(201)
          const id = String(started?.body.id)
          const { body } = await call(index, 'POST', '/api/sandbox/receipts', { purchaseId: id })
          late.push({ id, reference: String(body.paymentReference) })
        }
        await processes.db.write(async tx => {
          const past = new Date(tx.now().getTime() - 1)
          for (const table of [packPurchases, orders, topUps])
            await tx.update(table).set({ expiresAt: past }).where(eq(table.userId, userId))
        })
        const spending = { ...price, amount: LIMIT, per: 'month' }
        expect((await call(n, 'PATCH', '/api/user/limits', { spending })).status).toBe(200)

        const pay = (index: number) => {
          const { id, reference: paymentReference } = late[index] ?? {}
          return [
            () => call(index, 'PUT', '/api/packs/purchase', { purchaseId: id, paymentReference }),
            () => call(index, 'PUT', '/api/checkout', { orderId: id, paymentReference }),
            () => call(index, 'PUT', '/api/cash/top-ups', { topUpId: id, paymentReference }),
          ][index % 3]?.()
        }
        const [paid, started] = await Promise.all([
          Promise.all(late.map((_, index) => pay(index))),
          Promise.all([2, 5, 2, 5].map(begin)),
        ])
        const delivered = paid.filter(answer => answer?.status === 200).length
        const refused = paid.filter(answer => answer?.status !== 200)
        const begun = started.filter(answer => answer?.status === 201).length
        expect(new Set(refused.map(answer => answer?.status))).toEqual(
          new Set(refused.length > 0 ? [409] : []),
        )
        // 10 at 100 each wanted 500: as many as the limit allows.
        expect(delivered + begun).toBe(5)
        const rows = []
        for (const table of [packPurchases, orders, topUps])
          rows.push(...(await processes.db.read.select().from(table).where(eq(table.userId, userId))))
        const due = rows.filter(({ status }) => status === 'refund_due')
        expect(due).toHaveLength(refused.length)
        const booked = await processes.db.read.select().from(payments)
        for (const { id } of late)
          expect(booked.filter(({ purchaseId }) => purchaseId === id)).toHaveLength(1)
      }
    })
  })
