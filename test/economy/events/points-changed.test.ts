/** Every entry of the ledger is an event of its fan, `points.changed`, whatever books it; rules and quests never get it. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { PointsReason } from '../../../src/economy/ledgers/reasons.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { ruleKind, upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { importFans } from '../../../src/operate/admin/import/fans.ts'
import { questKind, upsertQuest } from '../../../src/play/quests/quest-kind.ts'
import { untoldEntries } from '../../crash/event-invariants.ts'
import { addPack, buy, expectStatus, patientFan } from '../../play/packs/packs-world.ts'
import { refundPack } from '../../play/packs/refund-pack.ts'
import { addMatch, addPredictor, settleAll } from '../../play/predictions/match-world.ts'
import { addQuest, happen, newType, takeBack, userIdOf } from '../../play/quests/quests-world.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { addRule, ruleEntry } from '../rules/rules-world.ts'

onEachEngine('An entry of the ledger', world => {
  /** Data of the events of a fan, in their order. Every entry of the database has its event. */
  async function changesOf(userId: string) {
    const { pointsEntries } = world.db.tables
    const all = { events: await readToldEvents(world.db.read) }
    const entries = await world.db.read.select().from(pointsEntries)
    expect(untoldEntries({ ...all, pointsEntries: entries })).toEqual([])
    const own = all.events.filter(event => event.userId === userId && event.type === 'points.changed')
    return own.map(({ data }) => JSON.parse(data ?? 'null'))
  }
  const reasonsOf = async (fan: Fan): Promise<[PointsReason, number][]> =>
    (await changesOf(await userIdOf(world, fan))).map(({ reason, delta }) => [reason, delta])
  const addGrants = async (fan: Fan, ...deltas: number[]) => {
    const key = await world.serverKey(['points:write'])
    const named = { provider: world.config.identity.name, subject: fan.subject }
    for (const delta of deltas)
      expectStatus(
        201,
        await world
          .withToken(key)
          .post('/api/points/grants', { fan: named, delta, ref: crypto.randomUUID() }),
      )
  }

  test('granted or taken by hand has an event, with balance and lifetime points after it', async () => {
    const fan = await patientFan(world)
    await addGrants(fan, 40, -15)
    const userId = await userIdOf(world, fan)
    const ref = expect.any(String)
    expect(await changesOf(userId)).toEqual([
      { delta: 40, balance: 40, lifetime: 40, reason: 'adjustment', ref },
      { delta: -15, balance: 25, lifetime: 40, reason: 'adjustment', ref },
    ])
  })

  test('has one event for a repeated request, and none for a refused one', async () => {
    const fan = await patientFan(world)
    const key = world.withToken(await world.serverKey(['points:write']))
    const request = {
      fan: { provider: world.config.identity.name, subject: fan.subject },
      delta: 5,
      ref: crypto.randomUUID(),
    }
    for (const status of [201, 200]) expectStatus(status, await key.post('/api/points/grants', request))
    expectStatus(409, await key.post('/api/points/grants', { ...request, delta: -50, ref: 'too-much' }))
    expect(await reasonsOf(fan)).toEqual([['adjustment', 5]])
  })

  test('of the onboarding, a purchase and its refund has an event', async () => {
    const fan = await patientFan(world)
    for (const _ of [1, 2]) expectStatus(200, await fan.post('/api/user/onboarding', {}))
    const packId = await addPack(world, { price: { amount: 30, currency: 'POINTS' } })
    const { id } = await buy(fan, packId)
    await world.db.write(tx => refundPack(tx, id))
    expect(await reasonsOf(fan)).toEqual([
      ['onboarding', 100],
      ['pack_purchase', -30],
      ['pack_refund', 30],
    ])
  })

  test('of two rules and a quest for one event has its event after theirs, and so has its void', async () => {
    const eventType = newType()
    for (const fixed of [10, 5]) await addRule(world, { eventType, points: { fixed } })
    await addQuest(world, { steps: [{ eventType }], reward: { points: 50 }, claim: 'auto' })
    const fan = await patientFan(world)
    const eventId = await happen(world, fan, eventType)
    await takeBack(world, eventId)
    expect(await reasonsOf(fan)).toEqual([
      ['rule', 10],
      ['rule', 5],
      ['quest', 50],
      ['rule_void', -10],
      ['rule_void', -5],
    ])
    const userId = await userIdOf(world, fan)
    const told = await readToldEvents(world.db.read, eq(world.db.tables.events.userId, userId))
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, at) => at + 1))
    expect(told.map(({ type }) => type).slice(0, 3)).toEqual([eventType, 'quest.completed', 'points.changed'])
  })

  test('of predictions that are settled in batches, also repeatedly, has an event for each fan', async () => {
    const match = await addMatch(world)
    const fans = await Promise.all([0, 1, 2].map(goals => addPredictor(world, match.matchId, 2, goals)))
    world.clock.advance(7_200_000)
    await match.finish(2, 1)
    await settleAll(world)
    await match.finish(2, 0)
    await settleAll(world)
    for (const fan of fans.slice(0, 2)) {
      const reasons = (await reasonsOf(fan)).map(([reason]) => reason)
      expect(reasons).toEqual(['prediction', 'prediction_void', 'prediction'])
    }
  })

  test('of imported opening balances has an event for each fan', async () => {
    const subjects = [1, 2, 3].map(n => `imported-${n}`)
    const { name: provider } = world.config.identity
    const fields = { provider, profile: {}, onboardingCompletedAt: null, joinLeaderboard: false }
    const fans = subjects.map((subject, at) => ({ ...fields, subject, openingBalance: 100 + at }))
    await world.db.write(tx => importFans(tx, fans))
    const { users } = world.db.tables
    for (const [at, subject] of subjects.entries()) {
      const [user] = await world.db.read.select().from(users).where(eq(users.subject, subject))
      expect(await changesOf(user?.id ?? '')).toEqual([
        { delta: 100 + at, balance: 100 + at, lifetime: 100 + at, reason: 'opening_balance', ref: 'import' },
      ])
    }
  })

  test('has its event in the same unit of work, and none if it is rolled back', async () => {
    const fan = await patientFan(world)
    const userId = await userIdOf(world, fan)
    await world.db
      .write(async tx => {
        await appendEntry(tx, { userId, delta: 5, reason: 'activity', ref: 'undone' })
        throw new Error('undo')
      })
      .catch(() => {})
    expect(await changesOf(userId)).toEqual([])
  })

  test('cannot be listened to by a rule or a quest, whose catalogue entry is refused', async () => {
    const eventType = 'points.changed'
    const message = 'must not be points.changed, which rules and quests cannot listen to'
    expect(ruleKind.faults?.(ruleEntry({ eventType }))).toEqual([{ pointer: '/eventType', message }])
    const step = { id: 'step', eventType, target: 1 }
    const quest = {
      id: 'q',
      title: 'Q',
      description: 'Q',
      kind: 'quest' as const,
      period: 'once' as const,
      steps: [step],
    }
    expect(questKind.faults?.(quest)).toEqual([{ pointer: '/steps/0/eventType', message }])
  })

  test('does not affect rules and quests that an earlier version imported', async () => {
    const eventType = 'points.changed'
    const rule = ruleEntry({ eventType })
    await world.db.write(tx => upsertRule(tx, rule))
    const steps = [{ id: 'step', eventType, target: 1 }]
    const quest = {
      id: 'self',
      title: 'Q',
      description: 'Q',
      kind: 'quest' as const,
      period: 'once' as const,
      steps,
    }
    await world.db.write(tx => upsertQuest(tx, { ...quest, reward: { points: 5 } }))
    const fan = await patientFan(world)
    await addGrants(fan, 7)
    expect(await reasonsOf(fan)).toEqual([['adjustment', 7]])
  })

  test('is refused as an event of another system', async () => {
    const key = await world.serverKey(['events:write'])
    const fan = { provider: world.config.identity.name, subject: 'reporter' }
    const event = {
      id: crypto.randomUUID(),
      type: 'points.changed',
      fan,
      occurredAt: world.clock.now().toISOString(),
    }
    const { body } = await world.withToken(key).post('/api/events', { events: [event] })
    expect(body.results).toMatchObject([{ outcome: 'refused', code: 'type_reserved' }])
  })
})
