/** A refund takes back the grants for a purchase: points of rules, budgets, limits, and quests. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { countEventData } from '../../../src/economy/events/delete-data.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { refundPurchase } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { packPurchaseKind } from '../../../src/play/packs/purchase-kind.ts'
import { markDue, refundByStore } from '../../../src/play/purchases/refund.ts'
import { undoClaim } from '../../../src/play/rewards/corrections.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buyWithMoney as buyPack,
  EUROS,
  expectStatus,
  open,
  patientFan,
} from '../packs/packs-world.ts'
import { addQuest, claim, read, userIdOf } from '../quests/quests-world.ts'
import { addStock, buyWithMoney, checkout, completeOrder, POINTS } from './orders-world.ts'

const refundAny = ({ db, deps }: World, id: string) =>
  refundPurchase(
    { read: db.read, write: work => db.write(work), loadPayments: async () => deps.payments },
    id,
  )

async function expectSound({ db }: World) {
  const found: unknown[] = []
  await verifyLedger(db, { onFinding: finding => found.push(finding) })
  await verifyQuests(db, { onFinding: finding => found.push(finding) })
  expect(found).toEqual([])
}

interface Sale {
  id: string
  eventType: 'order.paid' | 'purchase.completed'
}

const sales: Record<string, (world: World, fan: Fan) => Promise<Sale>> = {
  'an order': async (world, fan) => ({
    ...(await buyWithMoney(fan, await addStock(world, 5), {
      productId: await addStock(world, 5),
      quantity: 2,
    })),
    eventType: 'order.paid',
  }),
  'a pack': async (world, fan) => ({
    ...(await buyPack(fan, await addPack(world, { price: EUROS }))),
    eventType: 'purchase.completed',
  }),
}

onEachEngine(
  'A refund',
  world => {
    const grantedOf = async (ruleId: string) => {
      const { ruleBudgets } = world.db.tables
      const [row] = await world.db.read.select().from(ruleBudgets).where(eq(ruleBudgets.ruleId, ruleId))
      return row?.granted ?? 0
    }

    /** Rules and a quest for purchases of this kind. */
    async function listeners(eventType: Sale['eventType']) {
      const rule = await addRule(world, {
        eventType,
        points: { fixed: 40 },
        budget: 100,
        limit: { count: 1, per: 'ever' },
      })
      const step = { eventType }
      const manual = await addQuest(world, { claim: 'manual', reward: { points: 7 }, steps: [step] })
      const claimed = await addQuest(world, { claim: 'auto', reward: { points: 5 }, steps: [step] })
      return { rule, manual, claimed }
    }

    test.each(Object.keys(sales))(
      'of %s takes back what its payment has earned, once, and gives limits and budgets back',
      async name => {
        const fan = await patientFan(world)
        const probe = await sales[name]?.(world, await patientFan(world))
        const { rule, manual } = await listeners(probe?.eventType ?? 'order.paid')
        const first = await sales[name]?.(world, fan)
        expect(await balanceOf(fan)).toEqual({ balance: 45, lifetime: 45 })
        expect(await grantedOf(rule.id)).toBe(40)
        expect((await read(fan, manual)).state).toBe('completed')
        await refundAny(world, first?.id ?? '')
        expect(await refundAny(world, first?.id ?? '')).toBeNull()
        // Claimed rewards stay: the points of a quest are given once.
        expect(await balanceOf(fan)).toEqual({ balance: 5, lifetime: 5 })
        expect(await grantedOf(rule.id)).toBe(0)
        expect((await read(fan, manual)).state).toBe('in_progress')
        expect((await claim(fan, manual.id)).body.code).toBe('quest_not_completed')
        await sales[name]?.(world, fan)
        expect(await balanceOf(fan)).toEqual({ balance: 45, lifetime: 45 })
        expect((await read(fan, manual)).state).toBe('completed')
        await expectSound(world)
      },
    )

    test.each(Object.keys(sales))('of %s of an erased fan leaves no data of events', async name => {
      const fan = await patientFan(world)
      const sale = await sales[name]?.(world, fan)
      const { db, config } = world
      const [userId, { name: provider }] = [await userIdOf(world, fan), config.identity]
      await db.write(tx => eraseUser(tx, { provider, subject: fan.subject }))
      expect(await refundAny(world, sale?.id ?? '')).not.toBeNull()
      expect(await countEventData(db.read, userId)).toBe(0)
    })

    test('that is due already takes it back, and so does a refund by the store', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const rule = await addRule(world, { eventType: 'order.paid', points: { fixed: 40 } })
      await addRule(world, { eventType: 'purchase.completed', points: { fixed: 30 } })
      const order = await buyWithMoney(fan, await addStock(world, 5))
      await world.db.write(tx => markDue(tx, orderKind, order.id))
      expect(await balanceOf(fan)).toMatchObject({ balance: 0 })
      const { id } = await buyPack(other, await addPack(world, { price: EUROS }))
      expect(await balanceOf(other)).toMatchObject({ balance: 30 })
      const { packPurchases } = world.db.tables
      const [row] = await world.db.read.select().from(packPurchases).where(eq(packPurchases.id, id))
      await world.db.write(tx => refundByStore(tx, packPurchaseKind, id, row?.paymentReference ?? ''))
      expect(await balanceOf(other)).toMatchObject({ balance: 0 })
      expect(rule.id).toBeString()
      await expectSound(world)
    })

    describe('of an opened pack', () => {
      const refunds: Record<string, (id: string) => Promise<unknown>> = {
        'by the club': id => refundAny(world, id),
        'that is due': id => world.db.write(tx => markDue(tx, packPurchaseKind, id)),
        'by its store': async id => {
          const { packPurchases } = world.db.tables
          const [row] = await world.db.read.select().from(packPurchases).where(eq(packPurchases.id, id))
          const reference = row?.paymentReference ?? ''
          return world.db.write(tx => refundByStore(tx, packPurchaseKind, id, reference))
        },
      }

      async function listeners() {
        await addRule(world, { eventType: 'purchase.completed', points: { fixed: 9 } })
        await addRule(world, { eventType: 'pack.opened', points: { fixed: 40 } })
        return addQuest(world, { claim: 'manual', steps: [{ eventType: 'pack.opened', target: 2 }] })
      }

      test.each(Object.keys(refunds))('%s takes back what the opening has earned, once', async name => {
        const quest = await listeners()
        const [fan, pack] = [await patientFan(world), await addPack(world, { price: EUROS })]
        const [first, other] = [await buyPack(fan, pack), await buyPack(fan, pack)]
        for (const { userPack } of [first, other]) expectStatus(200, await open(fan, userPack.id))
        expect((await balanceOf(fan)).balance).toBe(98)
        expect((await read(fan, quest)).state).toBe('completed')
        await refunds[name]?.(first.id)
        expect(await balanceOf(fan)).toEqual({ balance: 49, lifetime: 49 })
        expect((await read(fan, quest)).state).toBe('in_progress')
        await refundAny(world, first.id)
        expect((await balanceOf(fan)).balance).toBe(49)
        expect(await world.db.read.select().from(world.db.tables.userItems)).toHaveLength(6)
        await expectSound(world)
      })

      test('that an order gave, after a merge, takes back what the merged fan got for it', async () => {
        await listeners()
        const [from, into] = [await patientFan(world), await patientFan(world)]
        const delivers = { packId: await addPack(world) }
        const order = await buyWithMoney(from, await addStock(world, 5, { kind: 'pack', delivers }))
        const [{ id }] = expectStatus(200, await from.get('/api/user/packs')).packs
        expectStatus(200, await open(from, id))
        const [fromId, intoId] = [await userIdOf(world, from), await userIdOf(world, into)]
        await world.db.write(tx =>
          mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }),
        )
        expect((await balanceOf(into)).balance).toBe(49)
        await refundAny(world, order.id)
        expect((await balanceOf(into)).balance).toBe(0)
        await expectSound(world)
      })
    })

    test('takes at most what the fan has left, and what is spent stays uncollected', async () => {
      const fan = await patientFan(world)
      await addRule(world, { eventType: 'order.paid', points: { fixed: 130 } })
      const order = await buyWithMoney(fan, await addStock(world, 5))
      const scarf = await addStock(world, 5, { price: POINTS })
      const { id } = expectStatus(201, await checkout(fan, scarf))
      expectStatus(200, await completeOrder(fan, id))
      expect((await balanceOf(fan)).balance).toBe(160)
      await refundAny(world, order.id)
      expect((await balanceOf(fan)).balance).toBe(30)
      // First the points are refunded, then the points that the payment had earned are taken back.
      await refundAny(world, id)
      expect((await balanceOf(fan)).balance).toBe(0)
      await expectSound(world)
    })

    test('together with the undo of a claim: the next claim does not earn the points again', async () => {
      const fan = await patientFan(world, 50)
      await addRule(world, { eventType: 'reward.claimed', points: { fixed: 15 } })
      const rewardId = await world.reward({ pointsRequired: 10, stockRemaining: 5 })
      const userId = await userIdOf(world, fan)
      for (let round = 0; round < 3; round++) {
        expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
        expect((await balanceOf(fan)).balance).toBe(65)
        await world.db.write(tx => undoClaim(tx, { userId, rewardId }))
        expect((await balanceOf(fan)).balance).toBe(50)
      }
      await expectSound(world)
    })
  },
  { worldPer: 'test' },
)
