/** `verify-ledger` finds cash that is captured without a purchase, and purchases that no cash has paid. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { settleExpiredCash } from '../../../src/economy/cash/settle-expired.ts'
import {
  addPack,
  cancel,
  complete,
  EUROS,
  expectStatus,
  patientFan,
  start,
} from '../../play/packs/packs-world.ts'
import { refundPack } from '../../play/packs/refund-pack.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import { addStock, checkout, completeOrder } from '../../play/shop/orders-world.ts'
import {
  cashEntriesOf,
  cashEnv,
  findingsOf,
  holdForPack,
  promote,
  topUp,
} from '../../play/top-ups/cash-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine(
  'Purchases with cash',
  world => {
    /** Packs that are completed, held, cancelled and refunded, and a completed order. */
    async function seed() {
      const fan = await patientFan(world)
      await topUp(fan, 100_000)
      const packId = await addPack(world, { price: EUROS })
      async function held() {
        const { id } = expectStatus(201, await start(fan, packId))
        expectStatus(200, await holdForPack(fan, id))
        return id as string
      }
      const [completed, pending, cancelled, refunded] = [
        await held(),
        await held(),
        await held(),
        await held(),
      ]
      for (const id of [completed, refunded]) expectStatus(200, await complete(fan, id))
      expectStatus(200, await cancel(fan, cancelled))
      await world.db.write(tx => refundPack(tx, refunded))
      const { id: order } = expectStatus(201, await checkout(fan, await addStock(world, 3)))
      expectStatus(200, await fan.post('/api/checkout/payment', { orderId: order, method: 'cash' }))
      expectStatus(200, await completeOrder(fan, order))
      return { completed, pending, cancelled, refunded, order }
    }
    type Seeded = Awaited<ReturnType<typeof seed>>

    test('give no findings', async () => {
      await seed()
      expect(await findingsOf(world)).toEqual([])
    })

    test('give no findings with expired promotions whose references are parts of each other', async () => {
      const fan = await patientFan(world)
      const userId = await userIdOf(world, fan)
      const expiresAt = new Date(world.clock.ms + 60_000)
      for (const ref of ['welcome', 'welcome:2026']) await promote(world, userId, 300, { ref, expiresAt })
      const packId = await addPack(world, { price: { amount: 100, currency: 'EUR' } })
      const { id } = expectStatus(201, await start(fan, packId))
      expectStatus(200, await holdForPack(fan, id))
      world.clock.advance(120_000)
      await settleExpiredCash(world.db)
      expectStatus(200, await cancel(fan, id))
      expect(await cashEntriesOf(fan)).toHaveLength(5)
      expect(await findingsOf(world)).toEqual([])
    })

    const statusOf = (tx: Transaction, id: string, status: string, more: object = {}) =>
      tx
        .update(tx.tables.packPurchases)
        .set({ status, ...more })
        .where(eq(tx.tables.packPurchases.id, id))
    const rename = (tx: Transaction, from: string, purchaseId: string) =>
      tx.update(tx.tables.cashHolds).set({ purchaseId }).where(eq(tx.tables.cashHolds.purchaseId, from))

    const damages: [string, keyof Seeded, (tx: Transaction, id: string) => PromiseLike<unknown>, object][] = [
      [
        'captured cash of a purchase that is not completed',
        'completed',
        (tx, id) => statusOf(tx, id, 'cancelled', { completedAt: null }),
        { expected: null, actual: 'captured' },
      ],
      [
        'captured cash of a purchase that a gateway has paid',
        'completed',
        (tx, id) => statusOf(tx, id, 'completed', { paymentReference: 'pi_other' }),
        { expected: null, actual: 'captured' },
      ],
      [
        'a completed purchase whose cash is only held',
        'pending',
        (tx, id) => statusOf(tx, id, 'completed', { completedAt: tx.now() }),
        { expected: 'captured', actual: 'held' },
      ],
      [
        'a completed purchase whose cash was released',
        'cancelled',
        (tx, id) => statusOf(tx, id, 'completed', { completedAt: tx.now() }),
        { expected: 'captured', actual: 'released' },
      ],
      [
        'a refunded purchase whose cash is not returned',
        'completed',
        (tx, id) => statusOf(tx, id, 'refunded', { refundedAt: tx.now() }),
        { expected: 'refunded', actual: 'captured' },
      ],
      [
        'a completed purchase without cash',
        'completed',
        (tx, id) => rename(tx, id, 'nothing'),
        { expected: 'captured', actual: null },
      ],
    ]
    test.each(damages)('give a finding for %s', async (_, which, damage, expected) => {
      const seeded = await seed()
      const id = seeded[which]
      await world.db.write(async tx => void (await damage(tx, id)))
      expect(await findingsOf(world)).toContainEqual(
        expect.objectContaining({ what: `cash_holds.state of ${id}`, ...expected }),
      )
    })

    test('give a finding for captured cash without a purchase', async () => {
      const { completed } = await seed()
      await world.db.write(async tx => void (await rename(tx, completed, 'nothing')))
      expect(await findingsOf(world)).toContainEqual(
        expect.objectContaining({
          what: 'cash_holds.purchase_id of nothing',
          expected: null,
          actual: 'captured',
        }),
      )
    })

    test('give a finding for an order that was not paid with cash', async () => {
      const { order } = await seed()
      await world.db.write(async tx => void (await rename(tx, order, 'nothing')))
      expect((await findingsOf(world)).map(({ what }) => what)).toContain(`cash_holds.state of ${order}`)
    })
  },
  { worldPer: 'test', env: cashEnv },
)
