/** Races of verbs on one world, for `bun run test:serializable`: `serializable.test.ts` runs them in each run of the suite. */
import { afterAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { findFaults } from '../crash/invariants.ts'
import { eventOf, TYPE } from '../economy/events/events-world.ts'
import { addRule } from '../economy/rules/rules-world.ts'
import {
  addPack,
  complete,
  expectStatus,
  FREE,
  patientFan,
  start,
  userIdOf,
} from '../play/packs/packs-world.ts'
import { addMatch, addPredictor, settleAll, stateOf } from '../play/predictions/match-world.ts'
import { failsStatements } from '../support/serializable.ts'
import { injected } from '../support/serialization-failures.ts'
import { readToldEvents } from '../support/told-events.ts'
import { onEachEngine } from '../support/world.ts'

const RACERS = 6
const STOCK = 2

const race = <T>(act: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: RACERS }, (_, n) => act(n)))
const at = <T>(list: T[], n: number): T => {
  const found = list[n]
  if (found === undefined) throw new Error(`there is no ${n}`)
  return found
}
const outcomes = (answers: { status: number; body: { code?: string } }[]) =>
  answers.map(({ status, body }) => body?.code ?? status).toSorted()
const times = (count: number, value: unknown) => Array(count).fill(value)

onEachEngine('Verbs that conflict', world => {
  const stock = new Map<string, number | null>()
  const announced: string[] = []
  const addReward = async (stockRemaining: number) => {
    const id = await world.reward({ pointsRequired: 0, stockRemaining })
    stock.set(id, stockRemaining)
    return id
  }

  test('claim the last units of a reward', async () => {
    const rewardId = await addReward(STOCK)
    const fans = await race(() => patientFan(world))
    const answers = await race(n => at(fans, n).post('/api/rewards/claim', { rewardId }))
    expect(outcomes(answers)).toEqual([...times(STOCK, 200), ...times(RACERS - STOCK, 'out_of_stock')])
  })

  test('claim once', async () => {
    const rewardId = await addReward(STOCK)
    const fan = await patientFan(world)
    const answers = await race(() => fan.post('/api/rewards/claim', { rewardId }))
    expect(outcomes(answers)).toEqual([200, ...times(RACERS - 1, 'already_claimed')])
  })

  test('buy the last packs, each once', async () => {
    const packId = await addPack(world, { price: FREE, supply: STOCK })
    const fans = await race(() => patientFan(world))
    const started = await race(n => start(at(fans, n), packId))
    expect(outcomes(started)).toEqual([...times(STOCK, 201), ...times(RACERS - STOCK, 'sold_out')])
    const winner = started.findIndex(({ status }) => status === 201)
    const fan = at(fans, winner)
    const answers = await race(() => complete(fan, started[winner]?.body.id))
    expect(new Set(answers.map(answer => expectStatus(200, answer).userPack.id)).size).toBe(1)
  })

  test('predict a score, and settle it once', async () => {
    const match = await addMatch(world)
    const fans = await race(() => addPredictor(world, match.matchId, 2, 1))
    await match.finish(2, 1)
    await Promise.all([settleAll(world), settleAll(world)])
    for (const fan of fans) expect((await stateOf(world, fan, match.matchId)).deltas).toEqual([25])
  })

  test('report events, and announce each once', async () => {
    const key = await world.serverKey(['events:write'])
    const gate = world.withToken(key)
    await addRule(world, { eventType: TYPE })
    const { subject } = await world.fan()
    const fan = { provider: world.config.identity.name, subject }
    const once = eventOf(world, { fan })
    const stop = world.db.read.spine.events.recorded.listen(({ userId }) => announced.push(userId))
    const same = await race(() => gate.post('/api/events', { events: [once] }))
    const found = same.map(answer => expectStatus(200, answer).results[0].outcome)
    expect(found.toSorted()).toEqual(['applied', ...times(RACERS - 1, 'duplicate')])
    await race(async () =>
      expectStatus(200, await gate.post('/api/events', { events: [eventOf(world, { fan })] })),
    )
    stop()
    const userId = (await userIdOf(world, { subject })) ?? ''
    const rows = await readToldEvents(world.db.read, eq(world.db.tables.events.userId, userId))
    // Each earns points, and the entry of the ledger is an event too.
    const sequences = Array.from({ length: 2 * (RACERS + 1) }, (_, n) => n + 1)
    expect(rows.map(({ sequence }) => sequence)).toEqual(sequences)
    expect(announced).toEqual(sequences.map(() => userId))
  })

  afterAll(async () => {
    expect(await findFaults(world.db, { stock, onboardingPoints: 100 }, world.clock.now())).toEqual([])
    expect((await verifyLedger(world.db)).findings).toBe(0)
  })
})

describe.skipIf(!failsStatements)('The mode on PostgreSQL', () => {
  test('has failed statements before and after they ran, and commits', () => {
    for (const kind of ['before', 'after', 'commit'] as const)
      expect([kind, injected[kind] > 0]).toEqual([kind, true])
  })
})
