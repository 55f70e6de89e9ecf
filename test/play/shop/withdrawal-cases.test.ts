/** Withdrawals and receipts of fans who are merged or erased, of promotions, of two currencies, and around disputes and other taxes. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { refundByStore } from '../../../src/play/purchases/refund.ts'
import { receiptsCsv } from '../../../src/play/receipts/export-receipts.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { withdrawOrder } from '../../../src/play/shop/withdraw.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { balanceOf, expectStatus, patientFan, refusal, userIdOf } from '../packs/packs-world.ts'
import { cashEnv, cashOf, promote, topUp } from '../top-ups/cash-world.ts'
import {
  addStock,
  buyWithMoney,
  checkout,
  completeOrder,
  freeStock,
  orderOf,
  POINTS,
  pay,
} from './orders-world.ts'
import { addProduct, entryOf } from './products-world.ts'
import { receiptsOf } from './receipts-world.ts'
import { changeLine, expectSound, payOut, withdraw } from './withdrawals-world.ts'

const EUROS = (amount: number) => ({ amount, currency: 'EUR' })
const POUNDS = (amount: number) => ({ amount, currency: 'GBP' })
const later = { isStorePayment: () => false, payOut: () => {} }

onEachEngine(
  'A withdrawal from an order',
  world => {
    const idOf = async (fan: Pick<Fan, 'subject'>) => (await userIdOf(world, fan)) ?? ''
    const notesOf = async (orderId: string) =>
      (await receiptsOf(world, orderId)).map(({ kind, gross, tax }) => [kind, gross, tax])

    async function buyWithCash(fan: Fan, ...products: string[]) {
      const { id } = expectStatus(201, await checkout(fan, ...products))
      expectStatus(200, await fan.post('/api/checkout/payment', { orderId: id, method: 'cash' }))
      return expectStatus(200, await completeOrder(fan, id))
    }

    async function buyWithPoints(fan: Fan, productId: string, quantity: number) {
      const { id } = expectStatus(201, await checkout(fan, { productId, quantity }))
      return expectStatus(200, await completeOrder(fan, id))
    }

    test('of a merged fan gives the other one cash, points and what the gateway owes, each once', async () => {
      const [from, into] = [await patientFan(world, 500), await patientFan(world, 100)]
      await topUp(from, 5_000)
      const [a, b] = [
        await addStock(world, 9, { price: EUROS(999), taxRate: 0.23 }),
        await addStock(world, 9, { price: EUROS(501), taxRate: 0.06 }),
      ]
      const forPoints = await addStock(world, 9, { price: POINTS })
      const [byCash, byGateway] = [await buyWithCash(from, a, b), await buyWithMoney(from, a, b)]
      const byPoints = await buyWithPoints(from, forPoints, 2)
      expectStatus(200, await withdraw(from, byCash.id, [1]))
      const [fromId, intoId] = [await idOf(from), await idOf(into)]
      await world.db.write(tx =>
        withdrawOrder(tx, { orderId: byGateway.id, userId: fromId, numbers: [2] }, later),
      )
      const merge = { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }
      await world.db.write(tx => mergeFans(tx, merge))
      // The merge ended the sessions of the other sign-in, which now leads to the same fan.
      world.clock.advance(1_000)
      const again = world.withToken(await world.idp.issueToken(from.subject))
      const before = (await balanceOf(into)).balance
      for (const { id } of [byCash, byGateway, byPoints]) {
        expectStatus(200, await withdraw(into, id))
        expectStatus(200, await withdraw(again, id))
      }
      expect(await cashOf(world, into)).toEqual([5_000, 0])
      expect((await balanceOf(into)).balance).toBe(before + 200)
      const refunds = await payOut(world, byGateway.id)
      expect([...refunds.values()].reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(1_500)
      expect(await orderOf(into, byGateway.id)).toMatchObject({
        status: 'refunded',
        refunded: { amount: 1_500 },
      })
      for (const { id } of [byCash, byGateway]) {
        const [receipt, ...notes] = await receiptsOf(world, id)
        expect(notes.reduce((sum, { gross }) => sum + gross, 0)).toBe(1_500)
        expect(notes.reduce((sum, { tax }) => sum + tax, 0)).toBe(receipt?.tax ?? 0)
      }
      await expectSound(world)
    })

    test('of a fan who is erased before the return is refunded, and its credit note names nobody', async () => {
      const fan = await patientFan(world)
      const warehouse = world.withToken(await world.serverKey(['orders:write']))
      const [a, b] = [
        await addStock(world, 9, { price: EUROS(999), taxRate: 0.23 }),
        await addStock(world, 9, { price: EUROS(501) }),
      ]
      const { id } = await buyWithMoney(fan, a, b)
      for (const state of ['ready', 'shipped']) expectStatus(200, await changeLine(warehouse, id, 1, state))
      const userId = await idOf(fan)
      await world.db.write(tx => withdrawOrder(tx, { orderId: id, userId }, later))
      await world.db.write(tx => eraseUser(tx, { id: userId }))
      const { events } = world.db.tables
      const dataOf = async () =>
        (await world.db.read.select().from(events).where(eq(events.userId, userId))).flatMap(
          ({ data }) => data ?? [],
        )
      const kept = await dataOf()
      for (const state of ['delivered', 'returned'])
        expectStatus(200, await changeLine(warehouse, id, 1, state))
      await payOut(world, id)
      expect(await notesOf(id)).toEqual([
        ['receipt', 1_500, 187],
        ['credit_note', 501, 0],
        ['credit_note', 999, 187],
      ])
      expect(await freeStock(world, a)).toBe(9)
      expect((await orderKind.find(world.db.read, id))?.status).toBe('refunded')
      expect((await dataOf()).filter(data => !kept.includes(data))).toEqual([])
      expect(JSON.stringify(await receiptsOf(world, id))).not.toContain('Ana')
      await expectSound(world)
    })

    test('returns a promotion as a promotion, in parts and once', async () => {
      const fan = await patientFan(world)
      const userId = await idOf(await topUpFirst(fan))
      await promote(world, userId, 1_000)
      const products = [
        await addStock(world, 9, { price: EUROS(700) }),
        await addStock(world, 9, { price: EUROS(900) }),
      ]
      const { cashPromotions } = world.db.tables
      const promised = async () => {
        const rows = await world.db.read
          .select()
          .from(cashPromotions)
          .where(eq(cashPromotions.userId, userId))
        return rows.reduce((sum, { remaining }) => sum + remaining, 0)
      }
      const { id } = await buyWithCash(fan, ...products)
      expect([await promised(), await cashOf(world, fan)]).toEqual([0, [1_400, 0]])
      expectStatus(200, await withdraw(fan, id, [2]))
      const part = await promised()
      expect(part).toBeLessThanOrEqual(900)
      expect(await cashOf(world, fan)).toEqual([2_300, 0])
      expectStatus(200, await withdraw(fan, id))
      expectStatus(200, await withdraw(fan, id))
      expect([await promised(), await cashOf(world, fan)]).toEqual([1_000, [3_000, 0]])
      await expectSound(world)
    })

    async function topUpFirst(fan: Fan) {
      await topUp(fan, 2_000)
      return fan
    }

    test('in two currencies numbers one series, and the export keeps their sums apart', async () => {
      const fan = await patientFan(world)
      const [euros, pounds] = [
        await addStock(world, 9, { price: EUROS(1_230), taxRate: 0.23 }),
        await addStock(world, 9, { price: POUNDS(1_200), taxRate: 0.2 }),
      ]
      const [first, second] = [await buyWithMoney(fan, euros), await buyWithMoney(fan, pounds)]
      for (const { id } of [second, first]) {
        expectStatus(200, await withdraw(fan, id))
        await payOut(world, id)
      }
      const own = [...(await receiptsOf(world, first.id)), ...(await receiptsOf(world, second.id))]
      const numbers = own.map(({ number }) => number)
      const [start = 0] = numbers
      expect(numbers).toEqual([start, start + 3, start + 1, start + 2])
      expect(own.map(({ currency, tax }) => [currency, tax])).toEqual([
        ...[
          ['EUR', 230],
          ['EUR', 230],
        ],
        ...[
          ['GBP', 200],
          ['GBP', 200],
        ],
      ])
      const month = world.clock.now().toISOString().slice(0, 7)
      const lines = (await Array.fromAsync(receiptsCsv(world.db.read, month))).join('').split('\r\n')
      for (const [{ id }, sums] of [
        [first, ['1000,230,1230,EUR,receipt', '-1000,-230,-1230,EUR,credit_note']],
        [second, ['1000,200,1200,GBP,receipt', '-1000,-200,-1200,GBP,credit_note']],
      ] as const)
        expect(
          lines.filter(line => line.includes(id)).map(line => line.split(',').slice(5).join(',')),
        ).toEqual([...sums])
      await expectSound(world)
    })

    test('credits the tax of the receipt, though product and country have another one since', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, 9, { price: EUROS(1_230), taxRate: { PT: 0.23, default: 0.1 } })
      const { id } = expectStatus(
        201,
        await checkout(fan, { productId, quantity: 1 }, await addStock(world, 9)),
      )
      const changed = {
        variants: [{ id: 'one', name: 'One size', stock: 9 }],
        price: EUROS(500),
        taxRate: 0.5,
      }
      await addProduct(world, { ...entryOf(changed), id: productId })
      const profile = { displayName: 'Ana', country: 'DE', locale: 'de-DE' }
      expectStatus(200, await fan.patch('/api/user/profile', profile))
      expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
      await addProduct(world, { ...entryOf({ ...changed, taxRate: 0 }), id: productId })
      expectStatus(200, await withdraw(fan, id, [1]))
      expect(await receiptsOf(world, id)).toMatchObject([
        { kind: 'receipt', country: 'PT', gross: 3_130, tax: 230 },
        { kind: 'credit_note', country: 'PT', gross: 1_230, tax: 230 },
      ])
      await payOut(world, id)
      await expectSound(world)
    })

    test('and a dispute: each way back has a credit note, and neither repeats the other', async () => {
      const fan = await patientFan(world)
      const [a, b] = [
        await addStock(world, 9, { price: EUROS(999), taxRate: 0.23 }),
        await addStock(world, 9, { price: EUROS(501), taxRate: 0.06 }),
      ]
      const start = async () => {
        const { id } = expectStatus(201, await checkout(fan, a, b))
        const reference = await pay(fan, id)
        expectStatus(200, await completeOrder(fan, id, reference))
        const dispute = () => world.db.write(tx => refundByStore(tx, orderKind, id, reference))
        return { id, dispute }
      }
      // A part is withdrawn, then the bank returns the rest, and says so again.
      const part = await start()
      expectStatus(200, await withdraw(fan, part.id, [1]))
      await payOut(world, part.id)
      expect(await part.dispute()).not.toBeNull()
      await part.dispute()
      const both = [
        ['receipt', 1_500, 215],
        ['credit_note', 999, 187],
        ['credit_note', 501, 28],
      ]
      expect(await notesOf(part.id)).toEqual(both)
      expect(refusal(await withdraw(fan, part.id))).toEqual([409, 'not_refundable'])

      // All was refunded before the bank decides.
      const whole = await start()
      expectStatus(200, await withdraw(fan, whole.id))
      await payOut(world, whole.id)
      const refunded = await notesOf(whole.id)
      await whole.dispute()
      expect(await notesOf(whole.id)).toEqual(refunded)
      expect(refunded.slice(1).reduce((sum, [, gross]) => sum + Number(gross), 0)).toBe(1_500)

      // The bank is first.
      const first = await start()
      await first.dispute()
      expect(await notesOf(first.id)).toEqual([
        ['receipt', 1_500, 215],
        ['credit_note', 1_500, 215],
      ])
      expect(refusal(await withdraw(fan, first.id))).toEqual([409, 'not_refundable'])
      expect([...(await payOut(world, first.id))]).toEqual([])
      await expectSound(world)
    })
  },
  { env: cashEnv },
)
