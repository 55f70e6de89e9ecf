/** Faults of the provider at each of its endpoints: fans do not notice them, and no invalid token is accepted. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type FaultInput, type FaultKind, faultKinds } from '../../../mock-idp/faults/fault.ts'
import { defaultSettings } from '../../../src/platform/config/settings.ts'
import { EMPTY_COOLDOWN_MS, KEYS_FRESH_MS } from '../../../src/platform/identity-provider/key-set.ts'
import type { Client } from '../../support/client.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createWorld, type World } from '../../support/world.ts'
import { IMPATIENT_MS, startFresh } from './application.ts'
import { control, tokenOf } from './provider-controls.ts'

const PATH = '/api/rewards'
/** Longer than any deadline. */
const FOR_EVER = 600_000
let world: World

beforeAll(async () => {
  world = await createWorld(sqliteEngine)
})
afterEach(() => control(world, 'DELETE', '/faults'))
afterAll(() => world.close())

/** Faults after which only a deadline ends a call. */
const UNANSWERED: ReadonlySet<FaultKind> = new Set(['delay', 'hang', 'drip'])
const start = (kind: FaultKind) =>
  UNANSWERED.has(kind) ? startFresh(world, IMPATIENT_MS) : startFresh(world)

/** Retries until the keys are fetched: with the short deadline a fetch may fail on a busy machine. */
const signIn = (client: Client) =>
  waitUntil('the keys are held', async () => {
    const { status } = await client.get(PATH)
    if (status === 503) world.clock.advance(EMPTY_COOLDOWN_MS)
    else expect(status).toBe(200)
    return status === 200
  })

const fault = (input: FaultInput) => control(world, 'POST', '/faults', input)

/** Each fault in its most severe form; milder forms are tested below. */
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
  describe(`a provider with the fault ${kind}`, () => {
    test('at all endpoints is not noticed while its keys are known', async () => {
      const { as } = await start(kind)
      const [warm, cold, third] = [
        await tokenOf(world, {}),
        await tokenOf(world, {}),
        await tokenOf(world, {}),
      ]
      await signIn(as(warm))
      await fault({ match: '*', kind, ...HARD[kind] })
      // While keys are fresh nothing is requested; after that the last set stays in use.
      for (const token of [warm, cold]) expect((await as(token).get(PATH)).status).toBe(200)
      world.clock.advance(KEYS_FRESH_MS)
      for (const token of [warm, third]) expect((await as(token).get(PATH)).status).toBe(200)
      const forged = await tokenOf(world, { defect: 'wrong_key' })
      expect((await as(forged).get(PATH)).status).toBe(401)
    })

    for (const match of ['discovery', '*'] as const) {
      test(`at the first start (${match}) is 503 with Retry-After, for valid and invalid tokens, until it recovers`, async () => {
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
        expect(body.reward.points).toBe(defaultSettings.onboardingPoints)
        const profile = (await as(fan.token).get('/api/user/profile')).body
        expect([profile.identity.subject, profile.identity.syncedAt]).toEqual([fan.subject, null])
      })
    }
  })
}

describe('a provider with a mild fault', () => {
  test('that responds late, but before the deadline, is accepted', async () => {
    const { as } = await startFresh(world)
    const fan = await world.fan()
    await fault({ match: '*', kind: 'delay', delayMs: 1 })
    const { status, body } = await as(fan.token).post('/api/user/onboarding', {})
    expect([status, body.identitySync]).toEqual([200, 'synced'])
  })

  test('that fails once during an onboarding is retried, and no sync is deferred', async () => {
    for (const kind of ['status', 'reset'] as const) {
      const { as } = await startFresh(world)
      const fan = await world.fan()
      await fault({ match: 'userinfo', kind, count: 1 })
      const { body } = await as(fan.token).post('/api/user/onboarding', {})
      expect([kind, body.state, body.identitySync]).toEqual([kind, 'completed', 'synced'])
    }
  })

  test('that does not respond once during an onboarding is retried, and no sync is deferred', async () => {
    // The retry has the short deadline as well, which may pass on a busy machine: then try with another fan.
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

  test('that returns another fan’s data is not trusted, and the onboarding completes', async () => {
    const { as } = await startFresh(world)
    const [fan, other] = [await world.fan(), await world.fan()]
    await fault({ match: 'userinfo', kind: 'json', body: { sub: other.subject, name: 'Somebody else' } })
    const { body } = await as(fan.token).post('/api/user/onboarding', {})
    expect([body.state, body.identitySync]).toEqual(['completed', 'deferred'])
    expect((await as(fan.token).get('/api/user/profile')).body.identity.name).toBeNull()
  })
})
