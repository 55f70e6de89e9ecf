/** `bun run receipts export`: a month for the accounts, which equals what the ledgers and the gateway booked. */
import { expect, test } from 'bun:test'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { balanceOf, expectStatus, patientFan } from '../play/packs/packs-world.ts'
import { addStock, buyWithMoney, checkout, completeOrder } from '../play/shop/orders-world.ts'
import { expectSound, payOut, withdraw } from '../play/shop/withdrawals-world.ts'
import { cashEnv, topUp } from '../play/top-ups/cash-world.ts'
import { onEachEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

onEachEngine(
  'bun run receipts export',
  world => {
    const run = (...parameters: string[]) =>
      runScript('receipts', ['export', ...parameters], { env: { DATABASE_URL: world.databaseUrl ?? '' } })

    test('equals the sums of the ledgers and payments, by currency, with credit notes, and no other month', async () => {
      const fan = await patientFan(world, 1_000)
      const taxed = await addStock(world, null, { price: { amount: 999, currency: 'EUR' }, taxRate: 0.23 })
      const book = await addStock(world, null, { price: { amount: 1_501, currency: 'EUR' }, taxRate: 0.06 })
      const forPoints = await addStock(world, null, { price: { amount: 100, currency: 'POINTS' } })
      const month = world.clock.now().toISOString().slice(0, 7)

      const { id: byGateway } = await buyWithMoney(fan, { productId: taxed, quantity: 3 }, book)
      await topUp(fan, 9_000)
      const { id: byCash } = expectStatus(201, await checkout(fan, taxed, book))
      expectStatus(200, await fan.post('/api/checkout/payment', { orderId: byCash, method: 'cash' }))
      expectStatus(200, await completeOrder(fan, byCash))
      const { id: byPoints } = expectStatus(201, await checkout(fan, forPoints))
      expectStatus(200, await completeOrder(fan, byPoints))
      expectStatus(200, await withdraw(fan, byCash, [2]))
      expectStatus(200, await withdraw(fan, byGateway, [1]))
      const refunds = await payOut(world, byGateway)

      const { code, out } = await run('--month', month)
      expect(code).toBe(0)
      const [head = '', ...lines] = out.trim().split('\r\n')
      expect(head).toBe('number,date,order,country,rate,net,tax,gross,currency,kind')
      const rows = lines.map(line => {
        const [number, date, order, country, rate, net, tax, gross, currency, kind] = line.split(',')
        return {
          number,
          date,
          order,
          country,
          rate,
          net: Number(net),
          tax: Number(tax),
          gross: Number(gross),
          currency,
          kind,
        }
      })
      for (const { net, tax, gross } of rows) expect(net + tax).toBe(gross)
      const sumOf = (order: string) =>
        rows.filter(row => row.order === order).reduce((sum, { gross }) => sum + gross, 0)

      const { cashEntries, payments } = world.db.tables
      const [cash] = await world.db.read
        .select({ sum: sql`sum(${cashEntries.delta})`.mapWith(Number) })
        .from(cashEntries)
        .where(inArray(cashEntries.reason, ['payment', 'refund']))
      expect(sumOf(byCash)).toBe(-(cash?.sum ?? 0))
      expect(sumOf(byCash)).toBe(999)
      const [payment] = await world.db.read
        .select()
        .from(payments)
        .where(and(eq(payments.purchaseId, byGateway)))
      const returned = [...refunds.values()].reduce((sum, amount) => sum + amount, 0)
      expect(returned).toBe(2_997)
      expect(sumOf(byGateway)).toBe((payment?.amount ?? 0) - returned)
      expect(sumOf(byPoints)).toBe(1_000 - (await balanceOf(fan)).balance)
      expect(rows.find(row => row.order === byGateway && row.kind === 'credit_note')).toMatchObject({
        country: 'PT',
        rate: '0.23',
        net: -2_437,
        tax: -560,
        gross: -2_997,
        date: world.clock.now().toISOString().slice(0, 10),
      })
      expect((await run('--month', '2020-01')).out.trim()).toBe(head)
      await expectSound(world)
    })

    test('refuses what is no month', async () => {
      expect((await run('--month', '2026-13')).code).toBe(2)
    })
  },
  { env: cashEnv },
)
