/** Top-ups: cash that fans pay for through the gateway. */
import { expect, test } from 'bun:test'
import { settleExpiredCash } from '../../../src/economy/cash/settle-expired.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { refundPurchase } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { packPurchaseKind } from '../../../src/play/packs/purchase-kind.ts'
import { complete as completePurchase } from '../../../src/play/purchases/complete.ts'
import type { PurchaseKind } from '../../../src/play/purchases/kind.ts'
import { topUpKind } from '../../../src/play/top-ups/top-up-kind.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  buy,
  EUROS,
  expectStatus,
  HOLD,
  patientFan,
  receipt,
  refusal,
  start,
} from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import {
  cashEntriesOf,
  cashEnv,
  cashOf,
  completeTopUp,
  findingsOf,
  holdForPack,
  promote,
  startTopUp,
  topUp,
} from './cash-world.ts'

onEachEngine(
  'A top-up',
  world => {
    const refundTopUp = (id: string) =>
      refundPurchase(
        {
          read: world.db.read,
          write: work => world.db.write(work),
          loadPayments: async () => world.deps.payments,
        },
        id,
      )
    const codeOf = (work: Promise<unknown>) => work.then(String, error => error.code)

    test('is credited once, however often it is completed', async () => {
      const fan = await patientFan(world)
      const started = expectStatus(201, await startTopUp(fan, 2000))
      expect(started).toMatchObject({ status: 'pending', amount: 2000, currency: 'EUR', completedAt: null })
      const reference = await receipt(fan, started.id)
      expect(await cashOf(world, fan)).toEqual([0, 0])
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => completeTopUp(fan, started.id, reference)),
      )
      for (const answer of answers) expect(expectStatus(200, answer)).toMatchObject({ status: 'completed' })
      expect(await cashOf(world, fan)).toEqual([2000, 0])
      expect(await cashEntriesOf(fan)).toEqual([['top_up', 2000]])
      expect((await fan.get(`/api/user/top-ups/${started.id}`)).body).toEqual(answers[0]?.body)
      expect((await fan.get('/api/cash/top-ups')).body.topUps).toEqual([answers[0]?.body])
      expect(await findingsOf(world)).toEqual([])
    })

    test.each(['unpaid', 'partial', 'wrong_currency', 'foreign', 'forged'])(
      'with a receipt that is %s credits nothing',
      async kind => {
        const fan = await patientFan(world)
        const { id } = expectStatus(201, await startTopUp(fan, 2000))
        expect(refusal(await completeTopUp(fan, id, await receipt(fan, id, kind)))).toEqual([
          402,
          'payment_not_confirmed',
        ])
        expect(await cashOf(world, fan)).toEqual([0, 0])
      },
    )

    test('and a pack are not paid by one payment', async () => {
      const fan = await patientFan(world)
      const { body: pack } = await start(fan, await addPack(world, { price: EUROS }))
      const { id } = expectStatus(201, await startTopUp(fan, EUROS.amount))
      const reference = await receipt(fan, id)
      expectStatus(200, await completeTopUp(fan, id, reference))
      const { status, body } = await fan.put('/api/packs/purchase', {
        purchaseId: pack.id,
        paymentReference: reference,
      })
      expect([status, body.code]).toEqual([402, 'payment_not_confirmed'])
    })

    test('that is paid late is credited; one that is not paid has expired', async () => {
      const fan = await patientFan(world)
      const [late, never] = [await startTopUp(fan, 300), await startTopUp(fan, 400)]
      const reference = await receipt(fan, late.body.id)
      world.clock.advance(31 * 60_000)
      expect((await fan.get(`/api/user/top-ups/${never.body.id}`)).body.status).toBe('expired')
      expect(refusal(await fan.post('/api/cash/top-ups/payment', { topUpId: never.body.id }))).toEqual([
        409,
        'top_up_expired',
      ])
      expectStatus(200, await completeTopUp(fan, late.body.id, reference))
      expect(await cashOf(world, fan)).toEqual([300, 0])
    })

    test('is prepared with the gateway, and its client pays', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await startTopUp(fan, 300))
      expect(expectStatus(200, await fan.post('/api/cash/top-ups/payment', { topUpId: id }))).toMatchObject({
        gateway: 'sandbox',
      })
    })

    test('of another fan is not found', async () => {
      const [ada, bo] = [await patientFan(world), await patientFan(world)]
      const { id } = expectStatus(201, await startTopUp(ada, 300))
      const reference = await receipt(ada, id)
      expect(refusal(await bo.get(`/api/user/top-ups/${id}`))).toEqual([404, 'top_up_not_found'])
      expect(refusal(await completeTopUp(bo, id, reference))).toEqual([404, 'top_up_not_found'])
      expect(refusal(await bo.post('/api/cash/top-ups/payment', { topUpId: id }))).toEqual([
        404,
        'top_up_not_found',
      ])
    })

    test('in an unknown currency or without an amount is refused', async () => {
      const fan = await patientFan(world)
      expect(refusal(await startTopUp(fan, 300, 'USD'))).toEqual([409, 'cash_not_accepted'])
      expect(refusal(await startTopUp(fan, 0))).toEqual([422, 'validation_failed'])
      expect(refusal(await startTopUp(fan, 1_000_001))).toEqual([422, 'validation_failed'])
    })

    test('is refunded to where it came from, once, and never with what the club gave', async () => {
      const fan = await patientFan(world)
      const { id } = await topUp(fan, 500)
      await promote(world, await userIdOf(world, fan), 1000)
      const refunds = await Promise.all(Array.from({ length: 3 }, () => refundTopUp(id)))
      expect(refunds.filter(one => one !== null)).toHaveLength(1)
      expect(await refundTopUp(id)).toBeNull()
      expect(await cashOf(world, fan)).toEqual([1000, 0])
      expect(await cashEntriesOf(fan)).toEqual([
        ['top_up', 500],
        ['promotion', 1000],
        ['top_up_refund', -500],
      ])
      expect(await findingsOf(world)).toEqual([])
    })

    test('is refunded with its own amount, and another top-up stays', async () => {
      const fan = await patientFan(world)
      const [{ id }] = [await topUp(fan, 500), await topUp(fan, 800)]
      expect(await refundTopUp(id)).toMatchObject({ price: { amount: 500 } })
      expect(await cashOf(world, fan)).toEqual([800, 0])
      expect((await cashEntriesOf(fan)).at(-1)).toEqual(['top_up_refund', -500])
      expect(await findingsOf(world)).toEqual([])
    })

    test('is not refunded when a part of it is spent or held', async () => {
      const fan = await patientFan(world)
      const { id } = await topUp(fan, 500)
      const { body: purchase } = await start(fan, await addPack(world, { price: EUROS }))
      expectStatus(200, await holdForPack(fan, purchase.id))
      expect(await codeOf(refundTopUp(id))).toBe('not_refundable')
      expectStatus(200, await fan.put('/api/packs/purchase', { purchaseId: purchase.id }))
      expect(await codeOf(refundTopUp(id))).toBe('not_refundable')
      expect(await cashOf(world, fan)).toEqual([1, 0])
      expect((await fan.get(`/api/user/top-ups/${id}`)).body.status).toBe('completed')
    })

    test('is not refunded with what the club gave after it was spent, also once that has ended', async () => {
      const fan = await patientFan(world)
      const { id } = await topUp(fan, EUROS.amount)
      const { body: purchase } = await start(fan, await addPack(world, { price: EUROS }))
      expectStatus(200, await holdForPack(fan, purchase.id))
      expectStatus(200, await fan.put('/api/packs/purchase', { purchaseId: purchase.id }))
      const expiresAt = new Date(world.clock.ms + 60_000)
      await promote(world, await userIdOf(world, fan), 1000, { expiresAt })
      expect(await codeOf(refundTopUp(id))).toBe('not_refundable')
      expect(await cashOf(world, fan)).toEqual([1000, 0])
      world.clock.advance(60_000)
      expect(await codeOf(refundTopUp(id))).toBe('not_refundable')
      expect(await cashOf(world, fan)).toEqual([0, 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('is refunded although a hold that has expired was never released', async () => {
      const fan = await patientFan(world)
      const { id } = await topUp(fan, 500)
      const { body: purchase } = await start(fan, await addPack(world, { price: EUROS }))
      expectStatus(200, await holdForPack(fan, purchase.id))
      expect(await codeOf(refundTopUp(id))).toBe('not_refundable')
      world.clock.advance(HOLD)
      expect(await refundTopUp(id)).toMatchObject({ price: { amount: 500 } })
      expect(await cashOf(world, fan)).toEqual([0, 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('of a fan who was erased before it was paid is to be refunded, and so is a pack', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await startTopUp(fan, 500))
      const { body: pack } = await start(fan, await addPack(world, { price: EUROS }))
      const reference = await receipt(fan, id)
      const [userId, packReference] = [await userIdOf(world, fan), await receipt(fan, pack.id)]
      await world.db.write(tx =>
        eraseUser(tx, { provider: world.config.identity.name, subject: fan.subject }),
      )
      const paid = (kind: PurchaseKind, purchaseId: string, reference: string) =>
        world.db.write(tx =>
          completePurchase(tx, world.deps.purchaseKinds, kind, purchaseId, { kind: 'money', reference }),
        )
      for (let repeat = 0; repeat < 2; repeat++) {
        expect(await paid(topUpKind, id, reference)).toMatchObject({ outcome: 'refund_due' })
        expect(await paid(packPurchaseKind, pack.id, packReference)).toMatchObject({ outcome: 'refund_due' })
      }
      expect(await cashOf(world, userId)).toEqual([0, 0])
      expect(await refundTopUp(id)).toMatchObject({ price: { amount: 500 } })
      expect(await refundTopUp(pack.id)).toMatchObject({ price: EUROS })
      expect(await findingsOf(world)).toEqual([])
    })

    test('is refunded by one of two operators, and the other one learns that it is already refunded', async () => {
      const fan = await patientFan(world)
      const { id } = await topUp(fan, 500)
      const [read, loadPayments] = [world.db.read, async () => world.deps.payments]
      let first: Promise<unknown> | undefined
      // The first refund ends between the reading of the second one and its first change.
      const second = refundPurchase(
        {
          ...{ read, loadPayments },
          async write(work) {
            first ??= refundTopUp(id)
            expect(await first).not.toBeNull()
            return world.db.write(work)
          },
        },
        id,
      )
      expect(await second).toBeNull()
      expect(await cashEntriesOf(fan)).toHaveLength(2)
    })

    test('and its promotions that ended while they were held are not shown as available', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 200)
      await promote(world, await userIdOf(world, fan), 500, { expiresAt: new Date(world.clock.ms + HOLD) })
      const { body: purchase } = await start(fan, await addPack(world, { price: EUROS }))
      expectStatus(200, await holdForPack(fan, purchase.id))
      world.clock.advance(HOLD)
      const shown = async () =>
        (await fan.get('/api/wallets')).body.cash.find(
          ({ currency }: { currency: string }) => currency === 'EUR',
        )
      expect(await shown()).toEqual({ currency: 'EUR', available: 200, held: 0 })
      await settleExpiredCash(world.db)
      expect(await shown()).toEqual({ currency: 'EUR', available: 200, held: 0 })
      expect(await findingsOf(world)).toEqual([])
    })

    test('and a promotion that is given again after its end changes nothing', async () => {
      const fan = await patientFan(world)
      await topUp(fan, 1)
      const key = world.withToken(await world.serverKey(['cash:write']))
      const body = {
        fan: { userId: await userIdOf(world, fan) },
        ...{ amount: 500, currency: 'EUR', ref: `welcome:${world.clock.newId()}` },
        expiresAt: new Date(world.clock.ms + 60_000).toISOString(),
      }
      const given = expectStatus(201, await key.post('/api/cash/promotions', body))
      world.clock.advance(60_000)
      const again = expectStatus(200, await key.post('/api/cash/promotions', body))
      expect(again).toEqual({ ...given, available: 1 })
      const late = await key.post('/api/cash/promotions', { ...body, ref: `late:${world.clock.newId()}` })
      expect(refusal(late)).toEqual([422, 'validation_failed'])
      expect(await cashOf(world, fan)).toEqual([1, 0])
    })

    test('the wallets of a fan show what is available and held, by currency', async () => {
      const fan = await patientFan(world)
      const nothing = { available: 0, held: 0 }
      expect((await fan.get('/api/wallets')).body.cash).toEqual([
        { currency: 'EUR', ...nothing },
        { currency: 'GBP', ...nothing },
      ])
      await topUp(fan, 1000)
      await topUp(fan, 9, 'GBP')
      const { body: purchase } = await start(fan, await addPack(world, { price: EUROS }))
      expectStatus(200, await holdForPack(fan, purchase.id))
      expect((await fan.get('/api/wallets')).body.cash).toEqual([
        { currency: 'EUR', available: 1000 - EUROS.amount, held: EUROS.amount },
        { currency: 'GBP', available: 9, held: 0 },
      ])
    })

    test('entries are read page by page, by currency', async () => {
      const fan = await patientFan(world)
      for (const amount of [1, 2, 3]) await topUp(fan, amount)
      await topUp(fan, 9, 'GBP')
      const first = expectStatus(200, await fan.get('/api/cash/EUR/entries?limit=2'))
      expect(first.entries.map(({ delta }: { delta: number }) => delta)).toEqual([3, 2])
      const next = expectStatus(
        200,
        await fan.get(`/api/cash/EUR/entries?limit=2&cursor=${first.nextCursor}`),
      )
      expect([next.entries.length, next.entries[0].delta, next.nextCursor]).toEqual([1, 1, null])
      expect(refusal(await fan.get(`/api/cash/GBP/entries?cursor=${first.nextCursor}`))).toEqual([
        400,
        'invalid_cursor',
      ])
      expect((await fan.get('/api/cash/GBP/entries')).body.entries).toMatchObject([{ delta: 9, seq: 1 }])
      expect((await fan.get('/api/cash/USD/entries')).body.entries).toEqual([])
    })

    test('every entry has an event cash.changed, to which rules cannot listen', async () => {
      const fan = await patientFan(world)
      const { id } = await topUp(fan, 700)
      const { events } = world.db.tables
      const userId = await userIdOf(world, fan)
      const rows = (await world.db.read.select().from(events)).filter(row => row.userId === userId)
      expect(rows.map(({ type, data }) => [type, JSON.parse(data ?? '')])).toEqual([
        ['cash.changed', { currency: 'EUR', delta: 700, balance: 700, reason: 'top_up', ref: id }],
      ])
    })
  },
  { worldPer: 'test', env: cashEnv },
)

onEachEngine(
  'Cash without a currency',
  world => {
    test('is off: no top-up starts, and no purchase is paid with it', async () => {
      const fan = await patientFan(world)
      expect(refusal(await startTopUp(fan, 300))).toEqual([409, 'cash_not_accepted'])
      const { body: purchase } = await start(fan, await addPack(world, { price: EUROS }))
      expect(refusal(await holdForPack(fan, purchase.id))).toEqual([409, 'cash_not_accepted'])
      expect((await buy(fan, await addPack(world, { price: { amount: 0, currency: 'EUR' } }))).status).toBe(
        'completed',
      )
    })
  },
  { env: { CASH_CURRENCIES: '' } },
)
