/**
 * Points that an account cannot hold are refused by name where they are asked for. Where a rule or a quest would grant them,
 * nothing is booked, and what the fan did is kept.
 */
import { expect, test } from 'bun:test'
import { and, desc, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { explainEvent } from '../../../src/economy/events/explain-event.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { correctOnboarding } from '../../../src/operate/admin/backfill-onboarding.ts'
import { importFans } from '../../../src/operate/admin/import/fans.ts'
import { patientFan } from '../../play/packs/packs-world.ts'
import { addMatch, predict, settleAll, stateOf } from '../../play/predictions/match-world.ts'
import { addQuest, claim, happen, newType, userIdOf } from '../../play/quests/quests-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'

const MAX = Number.MAX_SAFE_INTEGER
const ROOM = 5

onEachEngine('A fan whose account is almost full', world => {
  async function fullFan({ spent = 0 } = {}) {
    const fan = await patientFan(world)
    const userId = await userIdOf(world, fan)
    await world.db.write(async tx => {
      await appendEntry(tx, { userId, delta: MAX - ROOM, reason: 'opening_balance', ref: 'import' })
      if (spent > 0)
        await appendEntry(tx, { userId, delta: -spent, reason: 'adjustment', ref: `${userId} spent` })
    })
    return Object.assign(fan, { userId })
  }
  const pointsOf = async (fan: Client) => {
    const { balance, lifetime } = (await fan.get('/api/user/points')).body
    return { balance, lifetime }
  }
  const newestEvent = async (userId: string, type: string) => {
    const { events } = world.db.tables
    const isOf = and(eq(events.userId, userId), eq(events.type, type))
    const [row] = await world.db.read.select().from(events).where(isOf).orderBy(desc(events.sequence))
    if (!row) throw new Error('the event was not recorded')
    return row
  }
  const full = { balance: MAX - ROOM, lifetime: MAX - ROOM }
  const desk = async () => world.withToken(await world.serverKey(['points:write', 'events:write']))
  const problem = { status: 409, body: { code: 'points_limit_reached' } }

  test('gets grants up to the limit, and none beyond it', async () => {
    const fan = await fullFan()
    const grant = async (delta: number, ref: string) =>
      (await desk()).post('/api/points/grants', { fan: { userId: fan.userId }, delta, ref })
    expect(await grant(ROOM + 1, 'over')).toMatchObject(problem)
    expect(await pointsOf(fan)).toEqual(full)
    expect(await grant(ROOM, 'fits')).toMatchObject({ status: 201, body: { balance: MAX } })
    expect(await grant(-7, 'taken')).toMatchObject({ status: 201 })
    // Lifetime points do not fall by spending.
    expect(await grant(7, 'again')).toMatchObject(problem)
    expect(await pointsOf(fan)).toEqual({ balance: MAX - 7, lifetime: MAX })
  })

  test('is refused by corrections and imports of operators, which write nothing for the fan', async () => {
    const fan = await patientFan(world)
    const userId = await userIdOf(world, fan)
    const caller = { provider: world.config.identity.name, subject: fan.subject, userId }
    await world.db.write(tx =>
      appendEntry(tx, { userId, delta: MAX - ROOM, reason: 'adjustment', ref: `${userId} given` }),
    )
    const imported = { ...caller, profile: {}, onboardingCompletedAt: null, joinLeaderboard: false }
    const terms = (points: number) => ({ points, enrol: false, completeWhen: [] })
    const run = (points: number) =>
      world.db.write(async tx => ({
        correction: await correctOnboarding(tx, 'complete', { ...caller, rewarded: false }, terms(points)),
        plans: await importFans(tx, [{ ...imported, openingBalance: points }]),
      }))
    const full = { field: 'openingBalance', message: expect.stringContaining('is full') }
    expect(await run(ROOM + 1)).toMatchObject({
      correction: { outcome: 'refused' },
      plans: [{ faults: [full] }],
    })
    expect((await fan.get('/api/user/onboarding')).body.state).toBe('not_started')
    expect(await run(2)).toMatchObject({
      correction: { outcome: 'corrected', points: 2 },
      plans: [{ faults: [] }],
    })
    expect(await pointsOf(fan)).toEqual({ balance: MAX - 1, lifetime: MAX - 1 })
  })

  test('has an event recorded with the grants that fit, and the refused ones are explained', async () => {
    const fan = await fullFan()
    const type = newType()
    const rule = (name: string, fixed: number, more = {}) =>
      world.db.write(tx =>
        upsertRule(tx, {
          ...{ id: `${type.replace('.', '-')}-${name}`, name: 'Rule', eventType: type, points: { fixed } },
          ...more,
        }),
      )
    await rule('a', ROOM - 1)
    await rule('b', 2, { limit: { count: 1, per: 'day' }, budget: 2 })
    await rule('c', 1)
    const occurredAt = new Date(world.clock.ms).toISOString()
    const event = { id: type, type, fan: { userId: fan.userId }, occurredAt }
    const send = await desk()
    const record = async (id: string) =>
      (await send.post('/api/events', { events: [{ ...event, id }] })).body.results[0]
    expect(await record(type)).toMatchObject({
      outcome: 'applied',
      grants: [{ points: ROOM - 1 }, { points: 1 }],
    })
    expect(await pointsOf(fan)).toEqual({ balance: MAX, lifetime: MAX })
    const { eventId, source } = await newestEvent(fan.userId, type)
    expect(await explainEvent(world.db.read, { source, eventId })).toMatchObject({
      rules: [{ outcome: 'granted' }, { outcome: 'full', points: 2 }, { outcome: 'granted' }],
    })
    // Neither the limit nor the budget was used.
    const { ruleUses, ruleBudgets } = world.db.tables
    const uses = await world.db.read.select().from(ruleUses).where(eq(ruleUses.userId, fan.userId))
    expect(uses.filter(({ uses }) => uses > 0)).toEqual([])
    const spent = await world.db.read.select().from(ruleBudgets)
    expect(spent.filter(({ ruleId }) => ruleId.startsWith(type.replace('.', '-')))).toEqual([])
    expect((await verifyLedger(world.db)).findings).toBe(0)
  })

  test('completes a quest whose points do not fit, and can claim them once they do', async () => {
    const fan = await fullFan()
    const quest = await addQuest(world, { claim: 'auto', reward: { points: ROOM + 1 } })
    await happen(world, fan, quest.type)
    expect(await pointsOf(fan)).toEqual(full)
    expect(await claim(fan, quest.id)).toMatchObject(problem)
    expect((await verifyQuests(world.db)).findings).toBe(0)
  })

  test('cannot claim a quest that gives more, and keeps it completed', async () => {
    const fan = await fullFan()
    const quest = await addQuest(world, { claim: 'manual', reward: { points: ROOM + 1 } })
    await happen(world, fan, quest.type)
    expect(await claim(fan, quest.id)).toMatchObject(problem)
    expect(await pointsOf(fan)).toEqual(full)
  })

  test('cannot complete an onboarding that grants more', async () => {
    const fan = await fullFan()
    expect(await fan.post('/api/user/onboarding', {})).toMatchObject(problem)
    expect((await fan.get('/api/user/onboarding')).body.state).toBe('not_started')
  })

  test('does not prevent the settlement of other predictions', async () => {
    const match = await addMatch(world)
    const [fan, other] = [await fullFan(), await patientFan(world)]
    for (const each of [fan, other]) await predict(each, match.matchId, 1, 0)
    await match.finish(1, 0)
    await settleAll(world)
    expect((await stateOf(world, other, match.matchId)).deltas).toEqual([25])
    expect((await stateOf(world, fan, match.matchId)).deltas).toEqual([])
    expect(await pointsOf(fan)).toEqual(full)
    expect((await verifyLedger(world.db)).findings).toBe(0)
  })
})
