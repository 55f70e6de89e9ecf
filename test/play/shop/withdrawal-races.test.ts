/** A withdrawal and another change of the same order, in two processes at the same time: no unit is refunded twice. */
import { describe, expect, test } from 'bun:test'
import { and, eq, like, sql } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { realSources } from '../../../src/core/sources.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { ADDRESS } from './orders-world.ts'
import { entryOf, record } from './products-world.ts'

const ORDERS = 6
const UNITS = 3
const PRICE = 100

for (const engine of engines) {
  describe(`Withdrawals raced with other changes of an order (${engine.name})`, () => {
    const settings = { PAYMENT_GATEWAY: 'sandbox', OPEN_ORDERS_PER_FAN: '1000' }
    const processes = useTwoProcesses(engine, settings, realSources)
    let fans = 0

    async function newProduct(currency: string) {
      const variants = [{ id: 'one', name: 'One size', stock: 1_000 }]
      const entry = entryOf({ variants, price: { amount: PRICE, currency } })
      await processes.db.write(tx => writeRecord(tx, record(entry)))
      return entry.id
    }

    /** Orders of one fan, of two units of one product and one of another. */
    async function newOrders(currency: string, isPaid = true) {
      const fan = await processes.fan(++fans)
      if (currency === 'POINTS') {
        const entry = {
          userId: fan.id,
          delta: ORDERS * UNITS * PRICE,
          reason: 'adjustment',
          ref: fan.id,
        } as const
        await processes.db.write(tx => appendEntry(tx, entry))
      }
      const products = [await newProduct(currency), await newProduct(currency)]
      const lines = products.map((productId, index) => ({ productId, variantId: 'one', quantity: 2 - index }))
      const ids: string[] = []
      for (let n = 0; n < ORDERS; n++) {
        const { body } = await processes.call(n, fan.token, 'POST', '/api/checkout', {
          lines,
          address: ADDRESS,
        })
        const orderId = String(body.id)
        ids.push(orderId)
        if (isPaid) await pay(fan.token, orderId, currency)
      }
      return { ...fan, ids, products }
    }

    async function pay(token: string, orderId: string, currency: string) {
      const payment = { purchaseId: orderId }
      const receipt =
        currency === 'POINTS'
          ? null
          : await processes.call(0, token, 'POST', '/api/sandbox/receipts', payment)
      const reference = receipt ? { paymentReference: receipt.body.paymentReference } : {}
      const paid = await processes.call(0, token, 'PUT', '/api/checkout', { orderId, ...reference })
      expect(paid.status).toBe(200)
    }

    async function run(change: string, ids: string[]): Promise<string[]> {
      const command = commandOf('test/play/shop/take-back-process.ts')
      const child = Bun.spawn([...command, processes.url, change, ...ids], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const out = await new Response(child.stdout).text()
      expect(await child.exited).toBe(0)
      return JSON.parse(out)
    }

    /** Each order in both processes of the API. */
    const withdraw = (token: string, ids: string[], body: object = {}) =>
      Promise.all(
        [...ids, ...ids].map(async (id, n) => {
          const answer = await processes.call(n, token, 'POST', `/api/user/orders/${id}/withdrawal`, body)
          return answer.status === 200 ? 'done' : String(answer.body.code)
        }),
      )

    /** What came back of each order is what its units say, in every book. */
    async function expectExact({ id: userId, ids, products }: Awaited<ReturnType<typeof newOrders>>) {
      const { orders, orderLines, orderRefunds, pointsEntries, productVariants, events } = processes.db.tables
      const { read } = processes.db
      let kept = 0
      for (const orderId of ids) {
        const [order] = await read.select().from(orders).where(eq(orders.id, orderId))
        const lines = await read.select().from(orderLines).where(eq(orderLines.orderId, orderId))
        const parts = await read.select().from(orderRefunds).where(eq(orderRefunds.orderId, orderId))
        if (!order) throw new Error('an order vanished')
        kept += lines.reduce((sum, line) => sum + (line.isSold ? line.quantity : 0), 0)
        const units = lines.reduce((sum, { refundedUnits }) => sum + refundedUnits, 0)
        const isWhole = order.status !== 'completed'
        const back = isWhole ? order.priceAmount : order.refundedAmount
        if (!isWhole) expect(back).toBe(units * PRICE)
        expect(parts.reduce((sum, { amount }) => sum + amount, 0)).toBe(order.refundedAmount)
        if (order.priceCurrency === 'POINTS') {
          const [booked] = await read
            .select({ sum: sql`coalesce(sum(${pointsEntries.delta}), 0)`.mapWith(Number) })
            .from(pointsEntries)
            .where(and(eq(pointsEntries.userId, userId), like(pointsEntries.ref, `${orderId}%`)))
          expect(booked?.sum).toBe(back - order.priceAmount)
        }
        const withdrawn = await read
          .select()
          .from(events)
          .where(and(eq(events.type, 'order.withdrawn'), like(events.data, `%${orderId}%`)))
        const named = withdrawn.flatMap(({ data }) => JSON.parse(data ?? '{}').lines)
        expect(named.length).toBe(lines.filter(({ withdrawnAt }) => withdrawnAt !== null).length)
      }
      const variants = await read.select().from(productVariants)
      const sold = variants.filter(({ productId }) => products.includes(productId))
      expect(sold.reduce((sum, { stockSold }) => sum + stockSold, 0)).toBe(kept)
      const found: unknown[] = []
      await verifyLedger(processes.db, { onFinding: finding => found.push(finding) })
      expect(found).toEqual([])
    }

    test.each(['POINTS', 'EUR'])('of the same order, in %s', async currency => {
      const fan = await newOrders(currency)
      const [whole, part] = await Promise.all([
        withdraw(fan.token, fan.ids),
        withdraw(fan.token, fan.ids, { lines: [1] }),
      ])
      for (const outcome of [...whole, ...part]) expect(['done', 'not_refundable']).toContain(outcome)
      await expectExact(fan)
    })

    const CHANGES = [
      ['refund by staff', 'POINTS', 'refund', []],
      ['refund by staff', 'EUR', 'refund', []],
      ['dispute', 'EUR', 'dispute', []],
      ['shipping', 'POINTS', 'shipped', ['ready']],
      ['delivery', 'EUR', 'delivered', ['ready', 'shipped']],
      ['return', 'POINTS', 'returned', ['ready', 'shipped']],
      ['return', 'EUR', 'returned', ['ready', 'shipped']],
    ] as const

    test.each(CHANGES)('and a %s, in %s', async (_title, currency, change, before) => {
      const fan = await newOrders(currency)
      for (const state of before) expect(new Set(await run(state, fan.ids))).toEqual(new Set(['done']))
      const [changed] = await Promise.all([run(change, fan.ids), withdraw(fan.token, fan.ids)])
      const refusals = ['done', 'not_refundable', 'line_state_not_allowed']
      for (const outcome of changed) expect(refusals).toContain(outcome)
      await expectExact(fan)
      // What was shipped comes back, once.
      if (change === 'shipped' || change === 'delivered') await run('returned', fan.ids)
      await expectExact(fan)
    })

    test('and a cancellation, of orders that are not paid', async () => {
      const fan = await newOrders('POINTS', false)
      const cancelled = fan.ids.map((orderId, n) =>
        processes.call(n, fan.token, 'POST', '/api/checkout/cancel', { orderId }),
      )
      const paid = fan.ids.map((orderId, n) =>
        processes.call(n + 1, fan.token, 'PUT', '/api/checkout', { orderId }),
      )
      await Promise.all([...cancelled, ...paid, withdraw(fan.token, fan.ids)])
      await withdraw(fan.token, fan.ids)
      const { pointsEntries } = processes.db.tables
      const [booked] = await processes.db.read
        .select({ sum: sql`sum(${pointsEntries.delta})`.mapWith(Number) })
        .from(pointsEntries)
        .where(eq(pointsEntries.userId, fan.id))
      expect(booked?.sum).toBe(ORDERS * UNITS * PRICE)
      expect((await verifyLedger(processes.db)).findings).toBe(0)
    })
  })
}
