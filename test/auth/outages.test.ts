/** Whatever the provider suffers, at whichever of its endpoints: fans do not notice, and nobody gets in. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type FaultInput, type FaultKind, faultKinds } from '../../mock-idp/faults/fault.ts'
import { EMPTY_COOLDOWN_MS, KEYS_FRESH_MS } from '../../src/identity-provider/key-set.ts'
import type { Client } from '../support/client.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorld, type World } from '../support/world.ts'
import { IMPATIENT_MS, startFresh } from './application.ts'
import { control, tokenOf } from './provider-controls.ts'

const PATH = '/api/rewards'
/** Longer than anybody waits. */
const FOR_EVER = 600_000
let world: World

beforeAll(async () => {
  world = await createWorld(sqliteEngine)
})
afterEach(() => control(world, 'DELETE', '/faults'))
afterAll(() => world.close())

/** Only a deadline ends a call that these strike. */
const UNANSWERED: ReadonlySet<FaultKind> = new Set(['delay', 'hang', 'drip'])
const start = (kind: FaultKind) =>
  UNANSWERED.has(kind) ? startFresh(world, IMPATIENT_MS) : startFresh(world)

/** Asks until the keys are held: with the short deadline, one fetch of them may fail on a busy machine. */
const signIn = (client: Client) =>
  waitUntil('the keys are held', async () => {
    const { status } = await client.get(PATH)
    if (status === 503) world.clock.advance(EMPTY_COOLDOWN_MS)
    else expect(status).toBe(200)
    return status === 200
  })

const fault = (input: FaultInput) => control(world, 'POST', '/faults', input)

/** Each kind as it strikes hardest; those that can be milder are also struck mildly below. */
const HARD: Record<FaultKind, Omit<FaultInput, 'match' | 'kind'>> = {
  status: { status: 500 },
  delay: { delayMs: FOR_EVER },
  hang: {},
  drip: { delayMs: 1 },
  reset: {},
  malformed: {},
  empty_keys: {},
  huge: {},
  html: {},
  redirect: {},
  json: { body: { error: 'server_error' } },
}

for (const kind of faultKinds) {
  describe(`a provider struck by ${kind}`, () => {
    test('at all of its endpoints is not noticed while its keys are held', async () => {
      const { as } = await start(kind)
      const [warm, cold, third] = [
        await tokenOf(world, {}),
        await tokenOf(world, {}),
        await tokenOf(world, {}),
      ]
      await signIn(as(warm))
      await fault({ match: '*', kind, ...HARD[kind] })
      // Within the time for which keys are fresh nothing is asked; past it the held set goes on.
      for (const token of [warm, cold]) expect((await as(token).get(PATH)).status).toBe(200)
      world.clock.advance(KEYS_FRESH_MS)
      for (const token of [warm, third]) expect((await as(token).get(PATH)).status).toBe(200)
      const forged = await tokenOf(world, { defect: 'wrong_key' })
      expect((await as(forged).get(PATH)).status).toBe(401)
    })

    for (const match of ['discovery', '*'] as const) {
      test(`at first start (${match}) is 503 with Retry-After, to good tokens and to bad ones, and heals`, async () => {
        const { as } = await start(kind)
        const good = await tokenOf(world, {})
        await fault({ match, kind, ...HARD[kind] })
        for (const token of [good, await tokenOf(world, { defect: 'wrong_key' })]) {
          const { status, headers, body } = await as(token).get(PATH)
          expect([status, body.code]).toEqual([503, 'identity_provider_unavailable'])
          expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
          expect(headers.get('www-authenticate')).toBeNull()
        }
        const ready = await as().get('/readyz')
        expect([ready.status, typeof ready.body.checks.identityProvider]).toEqual([503, 'string'])
        expect(ready.body.checks.identityProvider).not.toBe('ok')
        await control(world, 'DELETE', '/faults')
        world.clock.advance(EMPTY_COOLDOWN_MS)
        await signIn(as(good))
      })
    }

    for (const match of ['userinfo', '*'] as const) {
      test(`while a fan onboards (${match}) completes the onboarding and defers the sync`, async () => {
        const { as } = await start(kind)
        const fan = await world.fan()
        await signIn(as(fan.token))
        await fault({ match, kind, ...HARD[kind] })
        const { status, body } = await as(fan.token).post('/api/user/onboarding', {})
        expect(status).toBe(200)
        expect([body.state, body.identitySync]).toEqual(['completed', 'deferred'])
        expect(body.reward.points).toBe(world.config.onboardingPoints)
        const profile = (await as(fan.token).get('/api/user/profile')).body
        expect([profile.identity.subject, profile.identity.syncedAt]).toEqual([fan.subject, null])
      })
    }
  })
}

describe('a provider with a mild fault', () => {
  test('that answers late, but in time, is believed', async () => {
    const { as } = await startFresh(world)
    const fan = await world.fan()
    await fault({ match: '*', kind: 'delay', delayMs: 1 })
    const { status, body } = await as(fan.token).post('/api/user/onboarding', {})
    expect([status, body.identitySync]).toEqual([200, 'synced'])
  })

  test('that fails once while a fan onboards is asked again, and nothing is deferred', async () => {
    for (const kind of ['status', 'reset'] as const) {
      const { as } = await startFresh(world)
      const fan = await world.fan()
      await fault({ match: 'userinfo', kind, count: 1 })
      const { body } = await as(fan.token).post('/api/user/onboarding', {})
      expect([kind, body.state, body.identitySync]).toEqual([kind, 'completed', 'synced'])
    }
  })

  test('that does not answer once while a fan onboards is asked again, and nothing is deferred', async () => {
    // The second call has the short deadline as well, which a busy machine may miss: then with another fan.
    await waitUntil('the second call is answered', async () => {
      const { as } = await startFresh(world, IMPATIENT_MS)
      const fan = await world.fan()
      await signIn(as(fan.token))
      await fault({ match: 'userinfo', kind: 'hang', count: 1 })
      const { body } = await as(fan.token).post('/api/user/onboarding', {})
      expect(body.state).toBe('completed')
      return body.identitySync === 'synced'
    })
  })

  test('that says another fan’s data is not believed, and the onboarding completes', async () => {
    const { as } = await startFresh(world)
    const [fan, other] = [await world.fan(), await world.fan()]
    await fault({ match: 'userinfo', kind: 'json', body: { sub: other.subject, name: 'Somebody else' } })
    const { body } = await as(fan.token).post('/api/user/onboarding', {})
    expect([body.state, body.identitySync]).toEqual(['completed', 'deferred'])
    expect((await as(fan.token).get('/api/user/profile')).body.identity.name).toBeNull()
  })
})
