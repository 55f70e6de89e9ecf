/**
 * A season of five fans through the rooms that share no other random model: leagues, divisions, questions, predictions, pushes,
 * memberships, codes and orders with withdrawals, with all tasks of the weeks. `main.ts` runs it on clusters as well.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { verifyQuests } from '../../src/audit/runs/verify-quests.ts'
import { createPushDispatcher } from '../../src/delivery/push/dispatcher.ts'
import { enqueuePushes } from '../../src/delivery/push/enqueue.ts'
import { advanceLeagues } from '../../src/play/leagues/rounds.ts'
import { tellResults } from '../../src/play/leagues/tell-results.ts'
import { answerQuestion } from '../../src/play/questions/change.ts'
import { deliveriesOf, newSubscription, pushOf, putDevice, servePushes } from '../delivery/push/push-world.ts'
import { addRule } from '../economy/rules/rules-world.ts'
import { addNotification, happens, inboxOf } from '../fan/messages/messages-world.ts'
import type { NamedFan } from '../identity/relations/relations-world.ts'
import { addShared, redeem } from '../play/codes/codes-world.ts'
import { addDivision, again, DAY, endPeriod, players, tableOf } from '../play/divisions/divisions-world.ts'
import { create, join } from '../play/leagues/leagues-world.ts'
import { addMembershipKind, putMembership, ticketOffice } from '../play/memberships/memberships-world.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { addMatch, predict, settleAll as settleMatch } from '../play/predictions/match-world.ts'
import { addQuestion, settleAll as settleVotes, vote } from '../play/questions/questions-world.ts'
import { addQuest, happen, read, takeBack } from '../play/quests/quests-world.ts'
import { addStock, buyWithMoney, orderOf } from '../play/shop/orders-world.ts'
import { changeLine, expectSound, payOut, withdraw } from '../play/shop/withdrawals-world.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEachEngine } from '../support/world.ts'

const WEEKS = 3

onEachEngine('A season of five fans', world => {
  let service: ReturnType<typeof servePushes>
  let dispatcher: ReturnType<typeof createPushDispatcher>
  beforeAll(() => {
    service = servePushes()
    dispatcher = createPushDispatcher({ ...world.deps, giveWay: () => Promise.resolve() })
  })
  afterAll(async () => {
    await dispatcher.stop()
    await service.stop()
  })

  /** Votes and their correction: the first answer was wrong. */
  async function ask(fans: NamedFan[]): Promise<void> {
    const id = await addQuestion(world, { points: 10 })
    for (const [n, fan] of fans.entries()) await vote(fan, id, n % 2 === 0 ? 'home' : 'away')
    for (const correct of ['home', 'away']) {
      await world.db.write(tx => answerQuestion(tx, id, correct))
      await settleVotes(world)
    }
  }

  /** A match whose result is corrected. */
  async function play(fans: NamedFan[]): Promise<void> {
    const match = await addMatch(world)
    for (const [n, fan] of fans.entries()) await predict(fan, match.matchId, n, 0)
    for (const homeScore of [1, 2]) {
      await match.finish(homeScore, 0)
      await settleMatch(world)
    }
  }

  /** One order is sent back by line after the delivery, the other is given up before it. */
  async function shop(fan: NamedFan): Promise<void> {
    const [scarf, shirt] = [await addStock(world, 50), await addStock(world, 50)]
    const warehouse = world.withToken(await world.serverKey(['orders:write']))
    const { id: sent } = await buyWithMoney(fan, scarf, shirt)
    const { id: unsent } = await buyWithMoney(fan, { productId: scarf, quantity: 2 })
    for (const state of ['ready', 'shipped', 'delivered'])
      expectStatus(200, await changeLine(warehouse, sent, 1, state))
    expectStatus(200, await withdraw(fan, sent))
    expectStatus(200, await changeLine(warehouse, sent, 1, 'returned'))
    expectStatus(200, await withdraw(fan, unsent))
    for (const id of [sent, unsent]) {
      await payOut(world, id)
      expect(await orderOf(fan, id)).toMatchObject({ status: 'refunded' })
    }
  }

  /** At noon, when nobody has quiet hours. */
  async function push({ id }: NamedFan): Promise<void> {
    world.clock.ms += DAY - ((world.clock.ms + DAY / 2) % DAY)
    await world.db.write(tx => enqueuePushes(tx, [pushOf(id), pushOf(id)]))
    await waitUntil('no push waits', async () => {
      // A device gets one after the other.
      world.clock.advance(1_000)
      await dispatcher.poll()
      return (await deliveriesOf(world, id)).every(({ state }) => state !== 'pending')
    })
    const ended = (await deliveriesOf(world, id)).map(({ state, reason }) => reason ?? state)
    expect(new Set(ended).difference(new Set(['sent', 'daily_limit']))).toEqual(new Set())
    expect(ended).toContain('sent')
  }

  test('is sound at its end, whatever was corrected and sent back', async () => {
    const fans = await players(world, 5)
    const [first, second] = fans as [NamedFan, NamedFan, ...NamedFan[]]
    await addDivision(world)
    await addMembershipKind(world)
    await addNotification(world, { id: 'bought' })
    for (const eventType of ['order.paid', 'shop.bought'])
      await addRule(world, { eventType, points: { fixed: 25 } })
    const paid = await addQuest(world, {
      period: 'week',
      steps: [{ eventType: 'order.paid' }],
      requires: { membership: ['season-ticket'] },
      reward: { points: 7 },
    })
    const terms = { startsAt: '2026-08-01T00:00:00.000Z', endsAt: '2027-08-01T00:00:00.000Z' }
    expect((await putMembership(await ticketOffice(world), world, first, terms)).status).toBe(201)
    const leagues = [await create(first, { format: 'head_to_head' }), await create(first)]
    for (const { code } of leagues)
      for (const fan of fans.slice(1)) expect((await join(fan, code)).status).toBeOneOf([200, 201])
    const { subscription } = newSubscription(`${service.url}season`)
    expectStatus(201, await putDevice(first, 'browser', { kind: 'webpush', subscription }))

    for (let week = 0; week < WEEKS; week++) {
      const { code } = await addShared(world)
      for (const [n, fan] of fans.entries()) {
        expect((await redeem(fan, code)).status).toBe(200)
        for (const _ of fans.slice(n)) await happen(world, fan, 'shop.bought')
        await takeBack(world, await happen(world, fan, 'shop.bought'))
      }
      await happens(world, first.id)
      await ask(fans)
      await play(fans)
      for (const fan of [first, second]) await shop(await again(world, fan))
      expect((await read(first, paid)).state).toBe('claimed')
      // The orders are void, and no reward has been given for them.
      expect((await read(second, paid)).state).toBe('in_progress')
      await push(first)
      for (const fan of fans) expect(await tableOf(await again(world, fan))).not.toBeNull()
      await endPeriod(world, fans)
      await advanceLeagues(world)
      await tellResults(world)
    }

    expect((await inboxOf(first)).unread).toBeGreaterThanOrEqual(WEEKS)
    await expectSound(world)
    const wrong: unknown[] = []
    await verifyQuests(world.db, { onFinding: finding => wrong.push(finding) })
    expect(wrong).toEqual([])
  })
})
