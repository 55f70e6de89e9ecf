/** Built-in notifications, from what happens to a fan to the message. Those of matches and memberships are in `reminders.test.ts`. */
import { expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { settleAccounts } from '../../../src/economy/accounts/settle.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { expirePoints } from '../../../src/economy/expiry/expire-points.ts'
import { decideAppeal, listAppeals } from '../../../src/identity/sanctions/appeals.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { advanceLeagues } from '../../../src/play/leagues/rounds.ts'
import { tellResults } from '../../../src/play/leagues/tell-results.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { addAccount, addAccountRule, addSeasons, DAY } from '../../economy/accounts/accounts-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { create, earn, join } from '../../play/leagues/leagues-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { addSet, give } from '../../play/sets/sets-world.ts'
import { addStock, buyWithMoney } from '../../play/shop/orders-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { knownFan } from './messages-world.ts'

onEachEngine(
  'A built-in notification',
  world => {
    const writtenFor = async ({ id }: { id: string }) => {
      const { messages } = world.db.tables
      const rows = await world.db.read
        .select()
        .from(messages)
        .where(eq(messages.userId, id))
        .orderBy(asc(messages.createdAt), asc(messages.id))
      return rows.map(({ notificationId, body }) => [notificationId, body])
    }
    const idsOf = async (fan: { id: string }) => (await writtenFor(fan)).map(([id]) => id)

    test('reports a reward for a set, and not a set without one', async () => {
      const fan = await knownFan(world)
      const sets = [await addSet(world), await addSet(world, { reward: { rewardId: await world.reward() } })]
      for (const { collectibleIds } of sets) await give(world, fan.id, collectibleIds)
      expect(await idsOf(fan)).toEqual(['reward-waiting'])
    })

    test('tells that an order is on its way, once for its line, and that it is refunded', async () => {
      const fan = await knownFan(world)
      const warehouse = world.withToken(await world.serverKey(['orders:write']))
      const { id } = await buyWithMoney(fan, await addStock(world, 3))
      for (const line of [{ state: 'ready' }, { state: 'shipped', carrier: 'CTT' }, { state: 'delivered' }])
        expectStatus(200, await warehouse.put(`/api/orders/${id}/lines/1`, line))
      expect(await idsOf(fan)).toEqual(['order-shipped'])
      await world.db.write(tx => refund(tx, orderKind, id))
      expect(await idsOf(fan)).toEqual(['order-shipped', 'order-refunded'])
    })

    test('reports a sanction, and how the appeal was decided', async () => {
      const fan = await knownFan(world)
      const by = { decidedBy: 'Ana', reason: 'harassment' } as const
      const { id } = await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'mute' }))
      expect(await idsOf(fan)).toEqual(['sanction'])
      expectStatus(201, await fan.post('/api/user/appeals', { sanctionId: id, text: 'I quoted others.' }))
      const [appeal] = await listAppeals(world.db.read, fan.id)
      const granted = { ...by, decidedBy: 'Bruno', granted: true }
      await world.db.write(tx => decideAppeal(tx, appeal?.id ?? '', granted))
      expect(await idsOf(fan)).toEqual(['sanction', 'appeal-decided'])
    })

    test('tells which points expire, 30 days before and once', async () => {
      const fan = await knownFan(world)
      await expirePoints(world.deps)
      await earn(world, fan.id, 70)
      for (let day = 0; day < 40; day++) {
        world.clock.advance(DAY)
        await expirePoints(world.deps)
      }
      expect(await writtenFor(fan)).toEqual([['points-ending', expect.stringContaining('70')]])
    })

    test('tells that a tier is at risk', async () => {
      await addSeasons(world)
      const type = await addAccountRule(world, await addAccount(world))
      const fan = await knownFan(world)
      const event = { source: 'gate', eventId: 'visit', userId: fan.id, type, data: { points: 150 } }
      await world.db.write(tx => writeEvent(tx, { ...event, occurredAt: tx.now() }))
      await settleAccounts(world)
      expect(await idsOf(fan)).toEqual([])
      world.clock.advance(65 * DAY)
      await settleAccounts(world)
      await settleAccounts(world)
      expect(await idsOf(fan)).toEqual(['tier-at-risk'])
    })

    test('tells the result of a league, and not a round without an opponent', async () => {
      const fans = [await namedFan(world), await namedFan(world), await namedFan(world)] as const
      for (const fan of fans) expectStatus(204, await fan.put('/api/user/leaderboard-membership'))
      const league = await create(fans[0], { format: 'head_to_head' })
      for (const fan of fans.slice(1)) expectStatus(200, await join(fan, league.code))
      for (let week = 0; week < 2; week++) {
        world.clock.advance(7 * DAY)
        await advanceLeagues(world)
      }
      world.clock.advance(61_000)
      await advanceLeagues(world)
      await tellResults(world)
      const told = (await Promise.all(fans.map(writtenFor))).flat()
      expect(told).toEqual(Array(2).fill(['league-result', 'Your result: 0–0.']))
    })
  },
  { worldPer: 'test', env: { POINTS_EXPIRE_AFTER_DAYS: '60' } },
)
