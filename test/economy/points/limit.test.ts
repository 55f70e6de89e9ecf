/** Points that an account cannot hold are refused by name, wherever they come from, and nothing is booked. */
import { expect, test } from 'bun:test'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { upsertRule } from '../../../src/economy/rules/upsert-rule.ts'
import { verifyLedger } from '../../../src/operate/admin/audit/verify-ledger.ts'
import { correctOnboarding } from '../../../src/operate/admin/backfill-onboarding.ts'
import { importFan } from '../../../src/operate/admin/import/fans.ts'
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
  const full = { balance: MAX - ROOM, lifetime: MAX - ROOM }
  const desk = async () => world.withToken(await world.serverKey(['points:write', 'events:write']))
  const problem = { status: 409, body: { code: 'points_limit_reached' } }

  test('gets what fits, and no grant beyond it', async () => {
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
        plan: await importFan(tx, { ...imported, openingBalance: points }),
      }))
    const full = { field: 'openingBalance', message: expect.stringContaining('is full') }
    expect(await run(ROOM + 1)).toMatchObject({
      correction: { outcome: 'refused' },
      plan: { faults: [full] },
    })
    expect((await fan.get('/api/user/onboarding')).body.state).toBe('not_started')
    expect(await run(2)).toMatchObject({
      correction: { outcome: 'corrected', points: 2 },
      plan: { faults: [] },
    })
    expect(await pointsOf(fan)).toEqual({ balance: MAX - 1, lifetime: MAX - 1 })
  })

  test('has an event refused whose rule would grant more, and the others of the batch recorded', async () => {
    const fan = await fullFan()
    const type = newType()
    const points = { fixed: ROOM + 1 }
    await world.db.write(tx =>
      upsertRule(tx, { id: type.replace('.', '-'), name: 'Rule', eventType: type, points }),
    )
    const occurredAt = new Date(world.clock.ms).toISOString()
    const event = { type, fan: { userId: fan.userId }, occurredAt }
    const { body } = await (await desk()).post('/api/events', {
      events: [
        { ...event, id: 'over' },
        { ...event, id: 'other', type: newType() },
      ],
    })
    expect(body.results).toMatchObject([
      { id: 'over', outcome: 'refused', code: 'points_limit_reached', grants: [] },
      { id: 'other', outcome: 'ignored' },
    ])
    expect(await pointsOf(fan)).toEqual(full)
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

  test('does not keep the predictions of others from being settled', async () => {
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
