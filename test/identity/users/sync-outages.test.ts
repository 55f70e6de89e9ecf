/** Sync during failures of the provider. Each test uses an instance that has not seen a failure yet. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { FETCH_COOLDOWN_MS } from '../../../src/platform/identity-provider/key-set.ts'
import { createIdentityProvider } from '../../../src/platform/identity-provider/provider.ts'
import type { Client } from '../../support/client.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { control } from '../auth/provider-controls.ts'
import { type SecondInstance, startSecondInstance, userinfoRequests } from './second-instance.ts'

onEachEngine('Sync while the provider fails', world => {
  let second: SecondInstance
  const fault = (input: object) => control(world, 'POST', '/faults', { match: 'userinfo', ...input })
  const pull = (client: Client) => client.post('/api/user/sync-mock-idp')
  /** A fan whose token is verified, so that a sync requests user data only. */
  async function known(of = second): Promise<Client & { subject: string; token: string }> {
    const { subject, token } = await world.fan()
    const client = of.withToken(token)
    await waitUntil('the token is verified', async () => {
      if ((await client.get('/api/user/onboarding')).status === 200) return true
      // On a slow machine the short deadline may pass: the next attempt follows after the cooldown.
      world.clock.advance(FETCH_COOLDOWN_MS)
      return false
    })
    await control(world, 'DELETE', '/requests')
    return { subject, token, ...client }
  }

  beforeEach(async () => {
    second = await startSecondInstance(world)
  })
  afterEach(() => control(world, 'DELETE', '/faults'))

  const unavailable = [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 503 },
    { kind: 'hang' },
    { kind: 'drip', delayMs: 20 },
    { kind: 'reset' },
  ]
  const invalid = [
    { kind: 'html' },
    { kind: 'malformed' },
    { kind: 'huge' },
    { kind: 'redirect' },
    { kind: 'redirect', location: 'http://localhost:4000/.well-known/openid-configuration' },
    { kind: 'status', status: 404 },
    { kind: 'json', body: ['a list'] },
    { kind: 'json', body: null },
    { kind: 'json', body: { name: 'Nobody' } },
    { kind: 'json', body: { sub: 'fan-0199', name: 'Somebody Else' } },
  ]

  /** Short deadlines, only for faults without a response. */
  const startImpatient = () => startSecondInstance(world, { resilience: { deadlineMs: 100 } })

  for (const input of unavailable) {
    test(`503, two requests and nothing changed: ${JSON.stringify(input)}`, async () => {
      const isEndless = input.kind === 'hang' || input.kind === 'drip'
      const fan = await known(isEndless ? await startImpatient() : second)
      await fault(input)
      const { status, headers, body } = await pull(fan)
      expect([status, body.code]).toEqual([503, 'identity_provider_unavailable'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await userinfoRequests(world)).toBe(2)
      expect((await fan.get('/api/user/profile')).status).toBe(404)
    })
  }

  for (const input of invalid) {
    test(`502, one request and nothing changed: ${JSON.stringify(input)}`, async () => {
      const fan = await known()
      await fault(input)
      const { status, body } = await pull(fan)
      expect([status, body.code]).toEqual([502, 'identity_provider_invalid'])
      expect(await userinfoRequests(world)).toBe(1)
      expect((await fan.get('/api/user/profile')).status).toBe(404)
    })
  }

  test('a truncated response leaves the mirror unchanged', async () => {
    const fan = await known()
    const impatient = (await startImpatient()).withToken(fan.token)
    const { identity } = (await pull(fan)).body
    await control(world, 'PATCH', `/users/${fan.subject}`, { name: 'After The Break' })
    for (const kind of ['reset', 'drip', 'malformed']) {
      await fault({ kind, count: 2 })
      expect((await pull(kind === 'drip' ? impatient : fan)).status).toBeGreaterThanOrEqual(502)
      expect((await fan.get('/api/user/profile')).body.identity).toEqual(identity)
      await control(world, 'DELETE', '/faults')
    }
    expect((await pull(fan)).body.changed).toEqual(['name'])
  })

  test('one failure is compensated by the retry', async () => {
    const fan = await known()
    await fault({ kind: 'status', status: 503, count: 1 })
    expect((await pull(fan)).status).toBe(200)
    expect(await userinfoRequests(world)).toBe(2)
  })

  test('no request of any fan reaches the provider before its Retry-After has passed', async () => {
    const [fan, other] = [await known(), await known()]
    await fault({ kind: 'status', status: 503, retryAfter: 120, count: 1 })
    const refused = await pull(fan)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '120'])
    world.clock.advance(119_999)
    for (const client of [fan, other]) {
      const { status, headers } = await pull(client)
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    }
    expect(await userinfoRequests(world)).toBe(1)
    world.clock.advance(1)
    expect((await pull(fan)).status).toBe(200)
    expect(await userinfoRequests(world)).toBe(2)
  })

  test('a Retry-After in the refusal of one token does not delay other fans', async () => {
    const [fan, other] = [await known(), await known()]
    for (const status of [401, 404]) {
      await fault({ kind: 'status', status, retryAfter: 120, count: 1 })
      expect((await pull(fan)).status).toBe(502)
      expect((await pull(other)).status).toBe(200)
    }
  })

  test('429 is not retried, and its Retry-After delays that fan only', async () => {
    const [fan, other] = [await known(), await known()]
    await fault({ kind: 'status', status: 429, retryAfter: 120, count: 1 })
    const refused = await pull(fan)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '120'])
    expect((await pull(other)).status).toBe(200)
    world.clock.advance(90_000)
    const early = await pull(fan)
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '30'])
    expect(await userinfoRequests(world)).toBe(2)
    world.clock.advance(30_000)
    expect((await pull(fan)).status).toBe(200)
  })

  test('429 responses to one fan do not affect sixty syncs of another', async () => {
    const patient = await startSecondInstance(world, { resilience: { openMs: 60_000 } })
    const [hasty, innocent] = [patient.withToken((await world.fan()).token), await world.fan()]
    await hasty.get('/api/user/onboarding')
    for (let n = 0; n < 10; n++) {
      await fault({ kind: 'status', status: 429, count: 1 })
      expect((await pull(hasty)).status).toBe(503)
    }
    const client = patient.withToken(innocent.token)
    for (let n = 0; n < 60; n++) expect((await pull(client)).status).toBe(200)
  })

  test.each([401, 403])(
    '%i of userinfo is a refusal by the provider, which names the solution, and not an error of the caller',
    async code => {
      const fan = await known()
      await fault({ kind: 'status', status: code })
      const { status, headers, body } = await pull(fan)
      expect([status, body.code]).toEqual([502, 'identity_provider_refused'])
      expect(body.detail).toContain('audience')
      expect(body.detail).toContain('IDP_USER_DATA=token')
      expect(headers.get('www-authenticate')).toBeNull()
      expect(await userinfoRequests(world)).toBe(1)
      expect((await fan.get('/api/user/onboarding')).status).toBe(200)
    },
  )

  test('a Retry-After of discovery delays discovery for every caller', async () => {
    const { now, elapsed, log } = world.deps
    const { subject, token } = await world.fan()
    const identity = createIdentityProvider({
      ...world.config.identity,
      ...{ now, elapsed, log, fetch: world.idp.handle, resilience: { retryWaitMs: 2, openMs: 1 } },
    })
    await control(world, 'POST', '/faults', { match: 'discovery', kind: 'status', retryAfter: 120, count: 1 })
    await control(world, 'DELETE', '/requests')
    for (let left = 120; left > 0; left -= 30) {
      await expect(identity.readUserData(token, subject)).rejects.toMatchObject({
        code: 'identity_provider_unavailable',
        explanation: { retryAfter: left },
      })
      expect(await identity.endpoints()).toBeNull()
      await identity.refresh()
      world.clock.advance(30_000)
    }
    const { requests } = await control(world, 'GET', '/requests')
    expect(requests).toHaveLength(1)
    expect((await identity.readUserData(token, subject)).claims.subject).toBe(subject)
  })

  test('after five consecutive failures no request is sent until a trial request succeeds', async () => {
    const patient = await startSecondInstance(world, { resilience: { openMs: 60_000 } })
    const { token } = await world.fan()
    const fan = patient.withToken(token)
    await fan.get('/api/user/onboarding')
    await control(world, 'DELETE', '/requests')
    await fault({ kind: 'status', status: 500 })
    for (let n = 0; n < 6; n++) {
      const { status, headers } = await pull(fan)
      expect(status).toBe(503)
      if (n >= 2) expect(headers.get('retry-after')).toBe('60')
    }
    expect(await userinfoRequests(world)).toBe(5)
  })
})
