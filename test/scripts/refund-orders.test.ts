/** `bun run refund` with orders: what is due is listed, refunded once, and returned to the stock as far as it was not used. */
import { expect, test } from 'bun:test'
import { payOutOrder } from '../../src/play/shop/pay-out.ts'
import { addPack, balanceOf, entriesOf, expectStatus, open, patientFan } from '../play/packs/packs-world.ts'
import {
  addStock,
  buyWithMoney,
  checkout,
  completeOrder,
  freeStock,
  HOLD,
  orderOf,
  POINTS,
  pay,
} from '../play/shop/orders-world.ts'
import { withdraw } from '../play/shop/withdrawals-world.ts'
import { findingsOf } from '../play/top-ups/cash-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScriptOn } from './run-script.ts'

onEngine(
  sqliteEngine,
  'bun run refund with an order',
  world => {
    const run = (...parameters: string[]) =>
      runScriptOn(world, 'refund', parameters, { PAYMENT_GATEWAY: 'sandbox' })
    const runJson = async (...parameters: string[]) => {
      const { code, out } = await run(...parameters, '--json')
      return { code, ...JSON.parse(out) }
    }

    test('returns the points once, and the units to the stock', async () => {
      const fan = await patientFan(world, 100)
      const productId = await addStock(world, 5, { price: POINTS })
      const { id } = expectStatus(201, await checkout(fan, productId))
      expectStatus(200, await completeOrder(fan, id))
      const plan = await run(id)
      for (const part of [
        `Order ${id}`,
        '100 POINTS',
        `1 × ${productId} one`,
        'returned to the stock',
        '--yes',
      ])
        expect(plan.out).toContain(part)
      expect(await balanceOf(fan)).toMatchObject({ balance: 0 })
      expect((await run(id, '--yes')).out).toBe(
        'Refunded 100 POINTS; all lines were returned to the stock.\n',
      )
      expect((await run(id, '--yes')).out).toContain('Already refunded')
      expect(await balanceOf(fan)).toEqual({ balance: 100, lifetime: 100 })
      expect(await entriesOf(fan, 'order_refund')).toMatchObject([{ delta: 100, ref: id }])
      expect(await freeStock(world, productId)).toBe(5)
      expect((await orderOf(fan, id)).status).toBe('refunded')
    })

    test('lists money that was paid after the stock was sold, and refunds it', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const productId = await addStock(world, 1)
      const { id } = expectStatus(201, await checkout(fan, productId))
      world.clock.advance(HOLD)
      await buyWithMoney(other, productId)
      const paymentReference = await pay(fan, id)
      expect((await completeOrder(fan, id, paymentReference)).status).toBe(409)
      const { refundDue } = await runJson()
      expect(refundDue).toMatchObject([
        {
          ...{ purchaseId: id, kind: 'order', paymentReference, status: 'refund_due' },
          price: { amount: 1900, currency: 'EUR' },
          lines: [{ number: 1, productId, variantId: 'one', quantity: 1 }],
        },
      ])
      expect(await runJson(id, '--yes')).toMatchObject({ code: 0, status: 'refunded', done: true })
      expect((await runJson()).refundDue).toEqual([])
      const { payments } = world.db.tables
      const refunded = (await world.db.read.select().from(payments)).filter(({ refundedAt }) => refundedAt)
      expect(refunded).toMatchObject([{ reference: paymentReference, purchaseId: id }])
    })

    test('lists parts of withdrawals that the gateway has not refunded, and refunds the rest of the order', async () => {
      const fan = await patientFan(world)
      const order = await buyWithMoney(fan, await addStock(world, 5), await addStock(world, 5))
      expectStatus(200, await withdraw(fan, order.id, [1]))
      const { orderRefunds } = world.db.tables
      await world.db.write(tx => tx.update(orderRefunds).set({ state: 'due', settledAt: null }))
      const price = { amount: 1900, currency: 'EUR' }
      const listed = await runJson()
      expect(listed.refundDue).toEqual([])
      expect(listed.partsDue).toMatchObject([{ purchaseId: order.id, partId: `${order.id}:1`, price }])
      expect((await run()).out).toContain(`${order.id}:1  1900 EUR (minor units) of a withdrawal`)
      expect(await runJson(order.id)).toMatchObject({ price, done: false })
      await payOutOrder(world.deps, order.id)
      expect((await runJson()).partsDue).toEqual([])
      expect((await run(order.id, '--yes')).out).toStartWith('Refunded 1900 EUR')
      expect(await findingsOf(world)).toEqual([])
    })

    test('does not take back opened packs', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world)
      const { id } = await buyWithMoney(
        fan,
        await addStock(world, 5, { kind: 'pack', delivers: { packId } }),
        await addStock(world, 5),
      )
      const [pack] = expectStatus(200, await fan.get('/api/user/packs')).packs
      expectStatus(200, await open(fan, pack.id))
      const { out } = await run(id, '--yes')
      expect(out).toBe('Refunded 3800 EUR (minor units); not all lines were returned to the stock.\n')
      const states = (await orderOf(fan, id)).lines.map(({ state }: { state: string }) => state)
      expect(states).toEqual(['delivered', 'none'])
    })

    test('refuses an order that was not paid', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await checkout(fan, await addStock(world, 1)))
      const { code, err } = await run(id, '--yes')
      expect(code).toBe(1)
      expect(err).toContain('nothing was paid')
    })
  },
  { worldPer: 'test' },
)
