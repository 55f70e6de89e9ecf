/** The provider's keys: rotation is followed, and outages of the provider do not sign fans out. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { FaultInput } from '../../../mock-idp/faults/fault.ts'
import { createApp } from '../../../src/app/app.ts'
import type { IdentityConfig } from '../../../src/platform/config/identity.ts'
import {
  EMPTY_COOLDOWN_MS,
  FETCH_COOLDOWN_MS,
  KEYS_FRESH_MS,
} from '../../../src/platform/identity-provider/key-set.ts'
import { createKeyStore } from '../../../src/platform/identity-provider/key-store.ts'
import { createIdentityProvider } from '../../../src/platform/identity-provider/provider.ts'
import { type Client, createClient } from '../../support/client.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createWorld, type World } from '../../support/world.ts'
import { IMPATIENT_MS } from './application.ts'
import { control, keyFetches, tokenOf } from './provider-controls.ts'

const PATH = '/api/rewards'
let world: World
/** An application that has not fetched the provider's keys yet. */
let fresh: (deadlineMs?: number) => (token: string) => Client

beforeAll(async () => {
  world = await createWorld(sqliteEngine)
  fresh = (deadlineMs = 30_000) => {
    const identity = createIdentityProvider({
      ...world.config.identity,
      now: world.deps.now,
      elapsed: world.deps.elapsed,
      fetch: world.idp.handle,
      log: world.deps.log,
      resilience: { deadlineMs },
    })
    const app = createApp({ ...world.deps, identity })
    return token =>
      createClient(
        request => app.handle(request),
        () => null,
        token,
      )
  }
})
afterEach(async () => {
  await control(world, 'DELETE', '/faults')
  await control(world, 'DELETE', '/requests')
})
afterAll(() => world.close())

const statusOf = async (client: Client) => (await client.get(PATH)).status
/** Retries until the keys are fetched: with a short deadline a fetch may fail on a busy machine. */
const signIn = (client: Client) =>
  waitUntil('the keys are held', async () => {
    const status = await statusOf(client)
    if (status === 503) world.clock.advance(EMPTY_COOLDOWN_MS)
    else expect(status).toBe(200)
    return status === 200
  })
const fault = (input: FaultInput) => control(world, 'POST', '/faults', input)

async function expectUnavailable(client: Client) {
  const { status, headers, body } = await client.get(PATH)
  expect([status, body.code]).toEqual([503, 'identity_provider_unavailable'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(headers.get('www-authenticate')).toBeNull()
}

describe('rotation', () => {
  test('tokens of the new and the old key are accepted while both are published', async () => {
    const as = fresh()
    const old = await tokenOf(world, {})
    expect(await statusOf(as(old))).toBe(200)
    world.clock.advance(FETCH_COOLDOWN_MS)
    for (const alg of ['RS256', 'PS256', 'EdDSA', 'ES256']) {
      await control(world, 'POST', '/keys/rotate', { alg })
      const renewed = await tokenOf(world, {})
      expect([alg, await statusOf(as(renewed)), await statusOf(as(old))]).toEqual([alg, 200, 200])
      world.clock.advance(FETCH_COOLDOWN_MS)
    }
  })

  test('a retired key is refused after the documented time, and the new one is not', async () => {
    const as = fresh()
    const old = await tokenOf(world, {})
    expect(await statusOf(as(old))).toBe(200)
    await control(world, 'POST', '/keys/rotate', {})
    await control(world, 'POST', '/keys/retire', {})
    world.clock.advance(KEYS_FRESH_MS - 1)
    expect(await statusOf(as(old))).toBe(200)
    world.clock.advance(1)
    expect(await statusOf(as(old))).toBe(401)
    expect(await statusOf(as(await tokenOf(world, {})))).toBe(200)
  })

  test('many unknown key ids cause at most one fetch per cooldown', async () => {
    const as = fresh()
    const good = await tokenOf(world, {})
    expect(await statusOf(as(good))).toBe(200)
    const unknown = await tokenOf(world, { defect: 'unknown_kid', expiresIn: 86_400 })
    const flood = () => Promise.all(Array.from({ length: 25 }, () => statusOf(as(unknown))))
    world.clock.advance(FETCH_COOLDOWN_MS - 1)
    for (let round = 0; round < 3; round++) {
      await control(world, 'DELETE', '/requests')
      world.clock.advance(1)
      expect(new Set([...(await flood()), ...(await flood())])).toEqual(new Set([401]))
      world.clock.advance(FETCH_COOLDOWN_MS - 1)
      expect(new Set(await flood())).toEqual(new Set([401]))
      expect(await keyFetches(world)).toBe(1)
    }
    expect(await statusOf(as(good))).toBe(200)
  })

  test('an outage after a rotation is 503 for the new key, never 401, until the provider recovers', async () => {
    const as = fresh()
    const old = await tokenOf(world, { expiresIn: 86_400 })
    expect(await statusOf(as(old))).toBe(200)
    world.clock.advance(FETCH_COOLDOWN_MS)
    await control(world, 'POST', '/keys/rotate', {})
    const renewed = await tokenOf(world, { expiresIn: 86_400 })
    for (const match of ['jwks', 'discovery'] as const) {
      await fault({ match, kind: 'status' })
      await control(world, 'DELETE', '/requests')
      for (let n = 0; n < 5; n++) await expectUnavailable(as(renewed))
      const { headers } = await as(renewed).get(PATH)
      expect(Number(headers.get('retry-after'))).toBe(FETCH_COOLDOWN_MS / 1000)
      expect(await statusOf(as(old))).toBe(200)
      const { requests } = await control(world, 'GET', '/requests')
      expect(requests.filter(({ fault }: { fault: string | null }) => fault)).toHaveLength(1)
      await control(world, 'DELETE', '/faults')
      world.clock.advance(FETCH_COOLDOWN_MS)
    }
    expect(await statusOf(as(renewed))).toBe(200)
    expect(await statusOf(as(await tokenOf(world, { defect: 'unknown_kid' })))).toBe(401)
  })

  test('many unknown key ids during an outage cause one fetch per cooldown, and are 503 until it ends', async () => {
    const as = fresh()
    expect(await statusOf(as(await tokenOf(world, {})))).toBe(200)
    const unknown = await tokenOf(world, { defect: 'unknown_kid', expiresIn: 86_400 })
    await fault({ match: 'jwks', kind: 'status' })
    const flood = () => Promise.all(Array.from({ length: 25 }, () => statusOf(as(unknown))))
    for (let round = 0; round < 3; round++) {
      await control(world, 'DELETE', '/requests')
      world.clock.advance(FETCH_COOLDOWN_MS)
      expect(new Set([...(await flood()), ...(await flood())])).toEqual(new Set([503]))
      expect(await keyFetches(world)).toBe(1)
    }
    await control(world, 'DELETE', '/faults')
    world.clock.advance(FETCH_COOLDOWN_MS)
    expect(new Set(await flood())).toEqual(new Set([401]))
  })

  test('concurrent requests that need the keys share one fetch', async () => {
    const as = fresh()
    const token = await tokenOf(world, {})
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(as(token))))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await keyFetches(world)).toBe(1)
  })
})

describe('a start while the provider is down', () => {
  /** Another process with the same database. */
  const start = (identity: Partial<IdentityConfig> = {}, secret = Buffer.alloc(32, 1)) => {
    const config = { ...world.config.identity, ...identity }
    const { db, log } = world.deps
    const provider = createIdentityProvider({
      ...config,
      now: world.deps.now,
      // A monotonic clock begins with its process.
      elapsed: (
        began => () =>
          world.deps.elapsed() - began
      )(world.deps.elapsed()),
      fetch: world.idp.handle,
      log,
      keyStore: createKeyStore({ db, log, identity: config, secret }),
    })
    const app = createApp({ ...world.deps, identity: provider })
    const as = (token: string) =>
      createClient(
        request => app.handle(request),
        () => null,
        token,
      )
    return { as, provider }
  }
  let token: string
  beforeEach(async () => {
    token = await tokenOf(world, { expiresIn: 7 * 86_400 })
    await start().provider.refresh()
    await fault({ match: '*', kind: 'status' })
  })

  test('accepts valid tokens, and refuses forged ones, with the stored keys', async () => {
    const { as } = start()
    expect(await statusOf(as(token))).toBe(200)
    expect((await as(token).get('/readyz')).status).toBe(200)
    expect(await statusOf(as(await tokenOf(world, { defect: 'wrong_key', expiresIn: 7 * 86_400 })))).toBe(401)
    await expectUnavailable(as(await tokenOf(world, { defect: 'unknown_kid', expiresIn: 7 * 86_400 })))
    expect(world.logged.join()).toContain('keys from before the start are used')
  })

  test('does not use the stored keys for longer when it restarts', async () => {
    world.clock.advance(world.config.identity.keysUsableMs - 2)
    const first = start()
    expect(await statusOf(first.as(token))).toBe(200)
    await first.provider.refresh()
    world.clock.advance(1)
    expect(await statusOf(start().as(token))).toBe(200)
    world.clock.advance(1)
    await expectUnavailable(first.as(token))
    await expectUnavailable(start().as(token))
    await control(world, 'DELETE', '/faults')
    expect(await statusOf(start().as(token))).toBe(200)
  })

  test('takes the keys of the provider as soon as it responds', async () => {
    const { as } = start()
    expect(await statusOf(as(token))).toBe(200)
    await control(world, 'DELETE', '/faults')
    await control(world, 'POST', '/keys/rotate', {})
    await control(world, 'POST', '/keys/retire', {})
    world.clock.advance(FETCH_COOLDOWN_MS)
    expect(await statusOf(as(await tokenOf(world, {})))).toBe(200)
    expect(await statusOf(as(token))).toBe(401)
  })

  test('does not use keys of another provider, of another secret, or that somebody has changed', async () => {
    const elsewhere = `${world.config.identity.issuer}/other-keys`
    await expectUnavailable(start({ jwksUrl: elsewhere }).as(token))
    await expectUnavailable(start({}, Buffer.alloc(32, 2)).as(token))
    const { providerKeys } = world.db.tables
    for (const change of [{ fetchedAt: new Date(world.clock.ms + 1) }, { keys: '[]' }, { mac: 'none' }]) {
      await world.db.write(tx => tx.update(providerKeys).set(change))
      await expectUnavailable(start().as(token))
    }
  })
})

const FAULTS: Record<string, Omit<FaultInput, 'match'>> = {
  'answers 503': { kind: 'status', status: 503 },
  'answers 404': { kind: 'status', status: 404 },
  'answers 401': { kind: 'status', status: 401 },
  'answers 429': { kind: 'status', status: 429, retryAfter: 60 },
  'answers 204': { kind: 'status', status: 204 },
  'never answers': { kind: 'hang' },
  'begins to answer and never ends': { kind: 'drip', delayMs: 1 },
  'breaks the connection': { kind: 'reset' },
  'sends broken JSON': { kind: 'malformed' },
  'sends no keys': { kind: 'empty_keys' },
  'sends megabytes of keys': { kind: 'huge' },
  'sends a page': { kind: 'html' },
  redirects: { kind: 'redirect' },
  'sends null': { kind: 'json', body: null },
  'sends a list': { kind: 'json', body: [] },
  'sends keys that are none': {
    kind: 'json',
    body: { keys: [null, 7, {}, 'key', { kty: 'oct', k: 'AAAA' }] },
  },
  'sends keys for encryption alone': {
    kind: 'json',
    body: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA', use: 'enc' }] },
  },
}

describe('a provider that fails', () => {
  for (const [what, input] of Object.entries(FAULTS)) {
    // Only a deadline ends a call without a response.
    const start = () => fresh(input.kind === 'hang' || input.kind === 'drip' ? IMPATIENT_MS : undefined)

    test(`and ${what} is 503 at first, never 401, until it recovers`, async () => {
      const as = start()
      const token = await tokenOf(world, {})
      await fault({ match: 'jwks', ...input })
      await expectUnavailable(as(token))
      const ready = await as(token).get('/readyz')
      expect(ready.status).toBe(503)
      expect(ready.body.checks.identityProvider).not.toBe('ok')
      await control(world, 'DELETE', '/faults')
      world.clock.advance((input.retryAfter ?? 0) * 1000 || EMPTY_COOLDOWN_MS)
      await signIn(as(token))
      expect((await as(token).get('/readyz')).status).toBe(200)
    })

    test(`and ${what} does not remove the last valid keys`, async () => {
      const as = start()
      const token = await tokenOf(world, { expiresIn: 7 * 86_400 })
      await signIn(as(token))
      await fault({ match: 'jwks', ...input })
      await control(world, 'DELETE', '/requests')
      world.clock.advance(KEYS_FRESH_MS)
      expect(await statusOf(as(token))).toBe(200)
      expect(await keyFetches(world)).toBe(1)
      expect((await as(token).get('/readyz')).status).toBe(200)
      const forged = await tokenOf(world, { defect: 'wrong_key', expiresIn: 7 * 86_400 })
      expect(await statusOf(as(forged))).toBe(401)
    })
  }

  test('is tolerated for a limited time, then 503, never 401, until it recovers', async () => {
    const as = fresh()
    const token = await tokenOf(world, { expiresIn: 7 * 86_400 })
    expect(await statusOf(as(token))).toBe(200)
    await fault({ match: '*', kind: 'status' })
    world.clock.advance(world.config.identity.keysUsableMs - 1)
    expect(await statusOf(as(token))).toBe(200)
    world.clock.advance(1)
    await expectUnavailable(as(token))
    const forged = await tokenOf(world, { defect: 'wrong_key', expiresIn: 7 * 86_400 })
    await expectUnavailable(as(forged))
    const ready = await as(token).get('/readyz')
    expect([ready.status, ready.body.checks.identityProvider]).toEqual([503, 'it responded with 503'])
    await control(world, 'DELETE', '/faults')
    world.clock.advance(FETCH_COOLDOWN_MS)
    expect(await statusOf(as(token))).toBe(200)
  })

  test('is requested at most once per cooldown, for any number of requests', async () => {
    const as = fresh()
    const token = await tokenOf(world, {})
    await fault({ match: 'jwks', kind: 'status' })
    for (let n = 0; n < 10; n++) await expectUnavailable(as(token))
    expect(await keyFetches(world)).toBe(1)
    world.clock.advance(EMPTY_COOLDOWN_MS)
    for (let n = 0; n < 10; n++) await expectUnavailable(as(token))
    expect(await keyFetches(world)).toBe(2)
  })

  test.each(['jwks', 'discovery'] as const)(
    'and sends Retry-After (%s) is not requested before it has passed, for any token',
    async match => {
      const as = fresh()
      const known = await tokenOf(world, { expiresIn: 86_400 })
      const unknown = await tokenOf(world, { defect: 'unknown_kid', expiresIn: 86_400 })
      await fault({ match, kind: 'status', retryAfter: 120 })
      await control(world, 'DELETE', '/requests')
      const asked = async () => (await control(world, 'GET', '/requests')).requests.length
      await expectUnavailable(as(known))
      const once = await asked()
      for (const ms of [EMPTY_COOLDOWN_MS, FETCH_COOLDOWN_MS]) {
        world.clock.advance(ms)
        for (const token of [known, unknown]) await expectUnavailable(as(token))
      }
      const { headers } = await as(known).get(PATH)
      expect(Number(headers.get('retry-after'))).toBe(120 - (EMPTY_COOLDOWN_MS + FETCH_COOLDOWN_MS) / 1000)
      expect(await asked()).toBe(once)
      await control(world, 'DELETE', '/faults')
      world.clock.advance(120_000 - EMPTY_COOLDOWN_MS - FETCH_COOLDOWN_MS)
      expect(await statusOf(as(known))).toBe(200)

      // The same with known keys: the last set is used, and no request is sent.
      await fault({ match, kind: 'status', retryAfter: 120 })
      world.clock.advance(KEYS_FRESH_MS)
      expect(await statusOf(as(known))).toBe(200)
      await control(world, 'DELETE', '/requests')
      world.clock.advance(119_999)
      expect(await statusOf(as(known))).toBe(200)
      await expectUnavailable(as(unknown))
      expect(await asked()).toBe(0)
      await control(world, 'DELETE', '/faults')
      world.clock.advance(1)
      expect(await statusOf(as(unknown))).toBe(401)
    },
  )

  test('does not affect 401 without a token, nor public routes', async () => {
    const as = fresh()
    await fault({ match: '*', kind: 'status' })
    expect((await as('').get(PATH, { authorization: '' })).status).toBe(401)
    expect((await as('').get('/api/teams')).status).toBe(200)
    expect((await as('').get('/healthz')).status).toBe(200)
  })

  test('with a discovery document of another issuer, or without keys, is not trusted', async () => {
    const issuer = world.config.identity.issuer
    const jwks_uri = `${issuer}/jwks`
    for (const body of [
      { issuer: 'https://evil.example', jwks_uri },
      { jwks_uri },
      { issuer },
      { issuer, jwks_uri: 'file:///etc/passwd' },
      { issuer, jwks_uri: 'http://user:pw@localhost:4000/jwks' },
      { issuer, jwks_uri: 7 },
    ]) {
      const as = fresh()
      await fault({ match: 'discovery', kind: 'json', body })
      await expectUnavailable(as(await tokenOf(world, {})))
      expect(await keyFetches(world)).toBe(0)
      await control(world, 'DELETE', '/faults')
    }
  })

  test('with damaged keys does not invalidate valid tokens', async () => {
    const as = fresh()
    const token = await tokenOf(world, { expiresIn: 7 * 86_400 })
    expect(await statusOf(as(token))).toBe(200)
    const { current } = await control(world, 'GET', '/keys')
    const damaged = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: current, alg: 'ES256', use: 'sig' }
    await fault({ match: 'jwks', kind: 'json', body: { keys: [damaged] } })
    world.clock.advance(KEYS_FRESH_MS)
    expect(await statusOf(as(token))).toBe(200)
  })
})
