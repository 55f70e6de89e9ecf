/** Packs that are paid with cash: held, then captured or released. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { captureHold, holdCash, releaseHold } from '../../../src/economy/cash/holds.ts'
import { settleExpiredCash } from '../../../src/economy/cash/settle-expired.ts'
import { refund as refundOfKind } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { engines } from '../../support/engines.ts'
import { onEachEngine, onEngine } from '../../support/world.ts'
import {
  addPack,
  cancel,
  complete,
  EUROS,
  expectStatus,
  HOLD,
  open,
  patientFan,
  receipt,
  refusal,
  remaining,
  start,
} from '../packs/packs-world.ts'
import { refundPack } from '../packs/refund-pack.ts'
import { userIdOf } from '../quests/quests-world.ts'
import { addStock, cancelOrder, checkout, completeOrder } from '../shop/orders-world.ts'
import { cashEntriesOf, cashEnv, cashOf, findingsOf, holdForPack, promote, topUp } from './cash-world.ts'

const PRICE = EUROS.amount
const DAY = 86_400_000

onEachEngine(
  'A purchase with cash',
  world => {
    const refund = (id: string) => world.db.write(tx => refundPack(tx, id))
    const codeOf = (work: Promise<unknown>) => work.then(String, error => error.code)
    const startPack = async (fan: Parameters<typeof start>[0], supply: number | null = null) =>
      expectStatus(201, await start(fan, await addPack(world, { price: EUROS, supply }))).id as string

    test('holds the price, captures it with the pack, and opens', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1000)
      const id = await startPack(fan)
      const held = {
        gateway: 'cash',
        paymentReference: null,
        clientSecret: null,
        checkoutUrl: null,
        store: null,
      }
      expect(expectStatus(200, await holdForPack(fan, id))).toEqual(held)
      expect(await cashOf(world, fan)).toEqual([1000 - PRICE, PRICE])
      expect(expectStatus(200, await holdForPack(fan, id))).toEqual(held)
      expect(await cashOf(world, fan)).toEqual([1000 - PRICE, PRICE])
      const { status, userPack } = expectStatus(200, await complete(fan, id))
      expect(status).toBe('completed')
      expect(await cashOf(world, fan)).toEqual([1000 - PRICE, 0])
      expect(await cashEntriesOf(fan)).toEqual([
        ['top_up', 1000],
        ['payment', -PRICE],
      ])
      expectStatus(200, await open(fan, userPack.id))
      expect(await findingsOf(world)).toEqual([])
    })

    test('cash that is held is not available to a second purchase', async () => {
      const fan = await patientFan(world)
      await topUp(fan, PRICE + 100)
      const [first, second] = [await startPack(fan), await startPack(fan)]
      expectStatus(200, await holdForPack(fan, first))
      expect((await holdForPack(fan, second)).body).toMatchObject({
        code: 'insufficient_cash',
        ...{ currency: 'EUR', required: PRICE, available: 100, missing: PRICE - 100 },
      })
      expectStatus(200, await cancel(fan, first))
      expectStatus(200, await holdForPack(fan, second))
    })

    test('a hold that was refused or released pays nothing', async () => {
      const fan = await patientFan(world)
      const refused = await startPack(fan)
      expect(refusal(await holdForPack(fan, refused))).toEqual([409, 'insufficient_cash'])
      expect(refusal(await complete(fan, refused))).toEqual([402, 'payment_not_confirmed'])
      await topUp(fan, 1000)
      expect(refusal(await complete(fan, refused))).toEqual([402, 'payment_not_confirmed'])

      const released = await startPack(fan)
      expectStatus(200, await holdForPack(fan, released))
      await world.db.write(tx => releaseHold(tx, released))
      expect(refusal(await complete(fan, released))).toEqual([402, 'payment_not_confirmed'])
      expect(refusal(await holdForPack(fan, released))).toEqual([409, 'purchase_expired'])
      expect(await cashOf(world, fan)).toEqual([1000, 0])
    })

    test('one credit that two browsers spend at the same moment is spent once', async () => {
      const fan = await patientFan(world)
      await topUp(fan, PRICE)
      const purchases = await Promise.all(Array.from({ length: 6 }, () => startPack(fan)))
      const held = await Promise.all(purchases.map(id => holdForPack(fan, id)))
      expect(held.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
      const completed = await Promise.all(purchases.map(id => complete(fan, id)))
      expect(completed.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await cashOf(world, fan)).toEqual([0, 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('a hold is captured once, however often the purchase is completed', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 5 * PRICE)
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      const answers = await Promise.all(Array.from({ length: 6 }, () => complete(fan, id)))
      for (const answer of answers) expect(expectStatus(200, answer)).toMatchObject({ status: 'completed' })
      const key = { userId: await userIdOf(world, fan), currency: 'EUR' }
      expect(await world.db.write(tx => captureHold(tx, id, key))).toBe(false)
      expect(await cashOf(world, fan)).toEqual([4 * PRICE, 0])
    })

    test('a hold ends with the purchase, without any request', async () => {
      const fan = await patientFan(world)
      await topUp(fan, PRICE)
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      world.clock.advance(HOLD)
      expect(await cashOf(world, fan)).toEqual([PRICE, 0])
      expect(refusal(await complete(fan, id))).toEqual([409, 'purchase_expired'])
      expect(refusal(await holdForPack(fan, id))).toEqual([409, 'purchase_expired'])
      // Booked with the next hold.
      const next = await startPack(fan)
      expectStatus(200, await holdForPack(fan, next))
      expectStatus(200, await complete(fan, next))
      expect(await cashOf(world, fan)).toEqual([0, 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('the task releases expired holds of fans who do nothing', async () => {
      const fan = await patientFan(world)
      await topUp(fan, PRICE)
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      world.clock.advance(HOLD)
      await Promise.all([settleExpiredCash(world.db), settleExpiredCash(world.db)])
      const { cashHolds, cashAccounts } = world.db.tables
      expect(await world.db.read.select().from(cashHolds)).toMatchObject([{ state: 'released' }])
      expect(await world.db.read.select().from(cashAccounts)).toMatchObject([{ balance: PRICE, held: 0 }])
    })

    test('paid through the gateway in the end frees the cash that was held', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1000)
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      expectStatus(200, await complete(fan, id, await receipt(fan, id)))
      expect(await cashOf(world, fan)).toEqual([1000, 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('a refund goes to where the money came from, once, and is what was captured', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1000)
      const id = await startPack(fan, 5)
      expectStatus(200, await holdForPack(fan, id))
      expectStatus(200, await complete(fan, id))
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(refund(id))))
      expect(codes.filter(code => code === 'not_refundable')).toHaveLength(4)
      expect(await cashOf(world, fan)).toEqual([1000, 0])
      expect(await cashEntriesOf(fan)).toEqual([
        ['top_up', 1000],
        ['payment', -PRICE],
        ['refund', PRICE],
      ])
      expect((await fan.get('/api/user/points')).body.entries).toEqual([])
      expect(await findingsOf(world)).toEqual([])
    })

    test('an order is held, captured and refunded like a pack', async () => {
      const fan = await patientFan(world, 100)
      await topUp(fan, 5000)
      const productId = await addStock(world, 3, { price: { amount: 1500, currency: 'EUR' } })
      const prepare = (orderId: string, method = 'cash') =>
        fan.post('/api/checkout/payment', { orderId, method })
      const { id } = expectStatus(201, await checkout(fan, { productId, quantity: 2 }))
      expect(expectStatus(200, await prepare(id))).toEqual({ method: 'cash', payment: null })
      expect(await cashOf(world, fan)).toEqual([2000, 3000])
      expect(expectStatus(200, await completeOrder(fan, id)).status).toBe('paid')
      expect(await cashOf(world, fan)).toEqual([2000, 0])
      await world.db.write(tx => refundOfKind(tx, orderKind, id))
      expect(await cashOf(world, fan)).toEqual([5000, 0])

      const { id: cancelled } = expectStatus(201, await checkout(fan, productId))
      expectStatus(200, await prepare(cancelled))
      expectStatus(200, await cancelOrder(fan, cancelled))
      expect(await cashOf(world, fan)).toEqual([5000, 0])
      const inPoints = await addStock(world, 1, { price: { amount: 10, currency: 'POINTS' } })
      const { id: points } = expectStatus(201, await checkout(fan, inPoints))
      expect(refusal(await prepare(points))).toEqual([409, 'payment_method_not_accepted'])
      expect(await findingsOf(world)).toEqual([])
    })

    test('what was never captured is not refunded', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1000)
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      expect(await codeOf(refund(id))).toBe('not_refundable')
      expect(await cashOf(world, fan)).toEqual([1000 - PRICE, PRICE])
    })

    test('promotions are spent before cash that the fan has paid in, starting with the one that expires first', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1000)
      const userId = await userIdOf(world, fan)
      const inDays = (days: number) => new Date(world.clock.ms + days * DAY)
      await promote(world, userId, 100, { ref: 'lasting' })
      await promote(world, userId, 300, { ref: 'late', expiresAt: inDays(9) })
      await promote(world, userId, 150, { ref: 'soon', expiresAt: inDays(2) })
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      const left = async () =>
        Object.fromEntries(
          (await world.db.read.select().from(world.db.tables.cashPromotions)).map(row => [
            row.ref,
            row.remaining,
          ]),
        )
      expect(await left()).toEqual({ soon: 0, late: 0, lasting: 100 - (PRICE - 450) })
      expectStatus(200, await cancel(fan, id))
      expect(await left()).toEqual({ soon: 150, late: 300, lasting: 100 })
      expect(await cashOf(world, fan)).toEqual([1550, 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('promotions expire; cash that the fan has paid in does not', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 200)
      const userId = await userIdOf(world, fan)
      await promote(world, userId, 500, { ref: 'welcome', expiresAt: new Date(world.clock.ms + DAY) })
      world.clock.advance(DAY)
      expect(await cashOf(world, fan)).toEqual([200, 0])
      const id = await startPack(fan)
      expect((await holdForPack(fan, id)).body).toMatchObject({ code: 'insufficient_cash', available: 200 })
      await Promise.all([settleExpiredCash(world.db), settleExpiredCash(world.db)])
      world.clock.advance(1000 * DAY)
      await settleExpiredCash(world.db)
      expect(await cashOf(world, fan)).toEqual([200, 0])
      const { cashEntries } = world.db.tables
      const ends = await world.db.read
        .select()
        .from(cashEntries)
        .where(eq(cashEntries.reason, 'promotion_ended'))
      expect(ends).toMatchObject([{ delta: -500, ref: 'welcome' }])
      expect(await findingsOf(world)).toEqual([])
    })

    test('a refund after the end of a promotion returns only the cash that the fan had paid in', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1000)
      const userId = await userIdOf(world, fan)
      await promote(world, userId, 100, { ref: 'welcome', expiresAt: new Date(world.clock.ms + DAY) })
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      expectStatus(200, await complete(fan, id))
      world.clock.advance(2 * DAY)
      await refund(id)
      expect(await cashOf(world, fan)).toEqual([1000, 0])
      expect(await cashEntriesOf(fan)).toEqual([
        ['top_up', 1000],
        ['promotion', 100],
        ['payment', -PRICE],
        ['refund', PRICE],
        ['promotion_ended', -100],
      ])
      expect(await findingsOf(world)).toEqual([])
    })

    test('a promotion is given once per ref, and not again with another amount', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1)
      const userId = await userIdOf(world, fan)
      const given = await Promise.all(
        Array.from({ length: 4 }, () => promote(world, userId, 500, { ref: 'welcome' })),
      )
      expect(given.filter(Boolean)).toHaveLength(1)
      expect(await codeOf(promote(world, userId, 600, { ref: 'welcome' }))).toBe('ref_reused')
      expect(await cashOf(world, fan)).toEqual([501, 0])
    })

    test('of a price in points is not paid with cash, nor one that is free or cancelled', async () => {
      const fan = await patientFan(world, 1000)
      await topUp(fan, 1000)
      const { body: points } = await start(fan, await addPack(world))
      expect(refusal(await holdForPack(fan, points.id))).toEqual([409, 'no_payment_needed'])
      const cancelled = await startPack(fan)
      expectStatus(200, await cancel(fan, cancelled))
      expect(refusal(await holdForPack(fan, cancelled))).toEqual([409, 'purchase_not_pending'])
      const dollars = { amount: 100, currency: 'USD' }
      const { body: foreign } = await start(fan, await addPack(world, { price: dollars }))
      expect(refusal(await holdForPack(fan, foreign.id))).toEqual([409, 'cash_not_accepted'])
    })

    test('of another fan is not found', async () => {
      const [ada, bo] = [await patientFan(world), await patientFan(world)]
      await topUp(bo, 1000)
      const id = await startPack(ada)
      expect(refusal(await holdForPack(bo, id))).toEqual([404, 'purchase_not_found'])
    })

    test('the stock that is sold out in the meantime takes no cash', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1000)
      const packId = await addPack(world, { price: EUROS, supply: 1 })
      const { body: purchase } = await start(fan, packId)
      expectStatus(200, await holdForPack(fan, purchase.id))
      const { packs } = world.db.tables
      await world.db.write(tx => tx.update(packs).set({ supplyTotal: 0 }).where(eq(packs.id, packId)))
      expect(refusal(await complete(fan, purchase.id))).toEqual([409, 'sold_out'])
      world.clock.advance(HOLD)
      expect(await cashOf(world, fan)).toEqual([1000, 0])
      expect(await remaining(world, packId)).toBe(0)
    })

    test('the tables refuse rows that the verbs never write', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 100)
      const { cashAccounts, cashEntries } = world.db.tables
      const attempt = (work: (tx: Parameters<Parameters<typeof world.db.write>[0]>[0]) => Promise<unknown>) =>
        world.db.write(work).then(
          () => 'written',
          () => 'refused',
        )
      expect(await attempt(async tx => tx.update(cashAccounts).set({ held: 101 }))).toBe('refused')
      expect(await attempt(async tx => tx.update(cashAccounts).set({ held: -1 }))).toBe('refused')
      expect(await attempt(async tx => tx.update(cashEntries).set({ delta: 1 }))).toBe('refused')
      expect(await attempt(async tx => tx.delete(cashEntries))).toBe('refused')
      const userId = await userIdOf(world, fan)
      const hold = { userId, currency: 'EUR', amount: 0, expiresAt: world.clock.now() }
      expect(await attempt(tx => holdCash(tx, { ...hold, purchaseId: 'nothing' }))).toBe('refused')
    })

    test('verify-ledger finds an account, a hold, a promotion and a top-up that were changed', async () => {
      const fan = await patientFan(world)
      const paid = await topUp(fan, 1000)
      const userId = await userIdOf(world, fan)
      await promote(world, userId, 100, { ref: 'welcome' })
      const id = await startPack(fan)
      expectStatus(200, await holdForPack(fan, id))
      const { cashAccounts, cashHolds, cashPromotions, topUps } = world.db.tables
      await world.db.write(async tx => {
        await tx.update(cashAccounts).set({ balance: 1200, held: 1 })
        await tx.update(cashHolds).set({ state: 'captured', settledAt: tx.now() })
        await tx.update(cashPromotions).set({ remaining: 50 })
        await tx.update(topUps).set({ priceAmount: 900 })
      })
      const what = (await findingsOf(world)).map(finding => `${finding.what}: ${finding.expected}`)
      expect(what.toSorted()).toEqual(
        [
          'cash_accounts.balance in EUR: 1100',
          'cash_accounts.held in EUR: 0',
          `cash_holds.state of ${id}: null`,
          `cash_entries.delta of payment ${id}: ${-PRICE}`,
          'cash_promotions.remaining of welcome: 0',
          `payments.amount of ${paid.id}: 900`,
          `cash_entries.delta of top_up ${paid.id}: 900`,
        ].toSorted(),
      )
    })
  },
  { worldPer: 'test', env: cashEnv },
)

// SQLite has a single writer.
for (const engine of engines.filter(({ name }) => name === 'PostgreSQL'))
  onEngine(
    engine,
    'Fans who pay the one club',
    world => {
      test('of different fans do not wait for each other: they share no row', async () => {
        const payments: ((tx: Transaction) => Promise<boolean>)[] = []
        const fans = [await patientFan(world), await patientFan(world)]
        for (const fan of fans) {
          await topUp(fan, PRICE)
          const { id } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
          expectStatus(200, await holdForPack(fan, id))
          const key = { userId: await userIdOf(world, fan), currency: 'EUR' }
          payments.push(tx => captureHold(tx, id, key))
        }
        const [first, second] = payments
        const [captured, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const paying = world.db.write(async tx => {
          expect(await first?.(tx)).toBe(true)
          captured.resolve()
          await committed.promise
        })
        await captured.promise
        // Commits while the first is open.
        expect(await world.db.write(async tx => second?.(tx))).toBe(true)
        committed.resolve()
        await paying
        for (const fan of fans) expect(await cashOf(world, fan)).toEqual([0, 0])
      })
    },
    { env: cashEnv },
  )
