/** The cache of verified tokens, and the checks of each request. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { generateSigningKey } from '../../../mock-idp/oidc/keys.ts'
import { ProviderError } from '../../../src/platform/identity-provider/fetch-json.ts'
import {
  createKeySet,
  FETCH_COOLDOWN_MS,
  KEYS_FRESH_MS,
} from '../../../src/platform/identity-provider/key-set.ts'
import type { SessionClaims } from '../../../src/platform/identity-provider/session-token.ts'
import {
  createVerifiedTokenCache,
  MAX_TOKENS,
} from '../../../src/platform/identity-provider/verified-token-cache.ts'
import { type Application, startFresh } from '../../identity/auth/application.ts'
import { control, tokenOf } from '../../identity/auth/provider-controls.ts'
import { createClock } from '../../support/clock.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createWorld, type World } from '../../support/world.ts'

describe('createVerifiedTokenCache', () => {
  const clock = createClock()
  const claims = (lifetimeMs = 60_000): SessionClaims => ({
    subject: 'fan-0001',
    tokenId: 'jti 1',
    issuedAt: clock.ms,
    expiresAt: clock.ms + lifetimeMs,
    authenticatedAt: 0,
  })
  const open = () => createVerifiedTokenCache(() => clock.now())

  test('evicts the least recently used token beyond the maximum', async () => {
    const cache = open()
    const held = claims()
    for (let n = 0; n < MAX_TOKENS; n++) await cache.put(`token-${n}`, Promise.resolve(held))
    expect(await cache.get('token-0', true)).toEqual(held)
    await cache.put('one-more', Promise.resolve(held))
    expect(cache.get('token-1', true)).toBeUndefined()
    for (const token of ['token-0', 'token-2', 'one-more']) expect(await cache.get(token, true)).toEqual(held)
  })

  test('returns nothing after exp, for another token, or while the keys are not fresh', async () => {
    const cache = open()
    const held = claims(60_000)
    await cache.put('token', Promise.resolve(held))
    expect(cache.get('token=', true)).toBeUndefined()
    expect(cache.get('token', false)).toBeUndefined()
    clock.advance(59_999)
    expect(await cache.get('token', true)).toEqual(held)
    clock.advance(1)
    expect(cache.get('token', true)).toBeUndefined()
  })

  test('does not cache an error, and rejects with it', async () => {
    const cache = open()
    await expect(cache.put('token', Promise.reject(new Error('not valid')))).rejects.toThrow('not valid')
    expect(cache.get('token', true)).toBeUndefined()
  })

  test('does not cache a verification that started before a change of keys', async () => {
    const cache = open()
    const verification = Promise.withResolvers<SessionClaims>()
    const answered = cache.put('token', verification.promise)
    cache.clear()
    verification.resolve(claims())
    expect(await answered).toMatchObject({ subject: 'fan-0001' })
    expect(cache.get('token', true)).toBeUndefined()
  })
})

describe('createKeySet', () => {
  test('does not wait for a provider that is known to be down, for a limited time', async () => {
    const clock = createClock()
    const { find, loads } = keySetOn(clock)
    const { publicJwk } = generateSigningKey('ES256')
    const ask = () => find({ alg: 'ES256', kid: publicJwk.kid }, { payload: '', signature: '' })
    const down = new ProviderError('it responded with 503', 'unavailable')
    const known = ask()
    loads[0]?.resolve({ keys: [publicJwk] })
    expect(await known).toBeDefined()

    // The first request during the outage waits for the response.
    clock.advance(KEYS_FRESH_MS)
    const first = ask()
    loads[1]?.reject(down)
    expect(await first).toBeDefined()

    // Later requests do not wait, although the fetch never ends.
    clock.advance(FETCH_COOLDOWN_MS)
    expect(await ask()).toBeDefined()
    expect(loads).toHaveLength(3)

    // The failure is too old to assume an outage, and a retired key must not be accepted.
    clock.advance(KEYS_FRESH_MS)
    const late = Promise.resolve(ask()).catch((error: ProviderError) => error.kind)
    loads[2]?.resolve({ keys: [generateSigningKey('ES256').publicJwk] })
    // The key is missing, so the keys are fetched once more; without a response the token cannot be verified.
    await waitUntil('the provider is asked again', () => loads.length === 4)
    loads[3]?.reject(down)
    expect(await late).toBe('unavailable')
  })
})

function keySetOn(clock: ReturnType<typeof createClock>) {
  const loads: PromiseWithResolvers<Record<string, unknown>>[] = []
  const { find } = createKeySet({
    load() {
      const load = Promise.withResolvers<Record<string, unknown>>()
      loads.push(load)
      return load.promise
    },
    elapsed: clock.elapsed,
    usableMs: 86_400_000,
    onChange() {},
    onFailure() {},
  })
  return { find, loads }
}

describe('a cached token', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld(sqliteEngine)
  })
  afterAll(() => world.close())

  const PATH = '/api/rewards'
  const statusOf = async ({ as }: Application, token: string) => (await as(token).get(PATH)).status

  test('is not verified again, and another token with the same claims is', async () => {
    const app = await startFresh(world)
    const token = await tokenOf(world, {})
    const verify = spyOn(crypto.subtle, 'verify')
    try {
      expect(await statusOf(app, token)).toBe(200)
      expect(verify).toHaveBeenCalledTimes(1)
      for (let n = 0; n < 5; n++) expect(await statusOf(app, token)).toBe(200)
      expect(verify).toHaveBeenCalledTimes(1)
      // The same header and claims with another signature.
      const signed = token.slice(0, token.lastIndexOf('.'))
      expect(await statusOf(app, `${signed}.${Buffer.alloc(64, 1).toString('base64url')}`)).toBe(401)
      expect(verify).toHaveBeenCalledTimes(2)
      const again = await tokenOf(world, {})
      expect(await statusOf(app, again)).toBe(200)
      expect(verify).toHaveBeenCalledTimes(3)
    } finally {
      verify.mockRestore()
    }
  })

  test('is refused after exp and the clock tolerance, although cached', async () => {
    const app = await startFresh(world)
    const token = await tokenOf(world, { expiresIn: 60 })
    expect(await statusOf(app, token)).toBe(200)
    world.clock.advance(59_999)
    expect(await statusOf(app, token)).toBe(200)
    // From here on the verifier applies the clock tolerance.
    world.clock.advance(30_000)
    expect(await statusOf(app, token)).toBe(200)
    world.clock.advance(1)
    expect((await app.as(token).get(PATH)).body.detail).toBe('The token has expired.')
  })

  test('is refused immediately after a logout', async () => {
    const app = await startFresh(world)
    const token = await tokenOf(world, {})
    expect(await statusOf(app, token)).toBe(200)
    expect((await app.as(token).post('/api/auth/logout')).status).toBe(204)
    expect(await statusOf(app, token)).toBe(401)
  })

  test('is refused immediately after the provider deletes its user, with or without a record', async () => {
    const fans: [subject: string, seen: string[]][] = [
      ['fan-0101', ['a profile', 'a device']],
      ['fan-0102', ['a device']],
      ['fan-0103', []],
    ]
    for (const [subject, seen] of fans) {
      const app = await startFresh(world)
      const token = await tokenOf(world, { sub: subject })
      if (seen.includes('a profile'))
        expect((await app.as(token).post('/api/user/profile', {})).status).toBe(201)
      const devices = seen.includes('a device')
        ? [(await app.as(token).post('/api/auth/native-token', {})).body]
        : []
      const tokens = [token, ...devices.map(device => device.token)]
      for (const held of tokens) expect(await statusOf(app, held)).toBe(200)

      const body = JSON.stringify({
        type: 'user.deleted',
        timestamp: world.clock.now().toISOString(),
        data: { sub: subject },
      })
      const id = `msg_${subject}`
      const delivered = await app.as().send('/api/webhooks/identity', {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(world.clock.ms / 1000)),
          'webhook-signature': new Webhook(world.config.identity.webhookSecret).sign(
            id,
            world.clock.now(),
            body,
          ),
        },
      })
      expect(delivered.status).toBe(204)
      for (const held of tokens) expect(await statusOf(app, held)).toBe(401)
      for (const { refreshToken } of devices)
        expect((await app.as().post('/api/auth/native-token/refresh', { refreshToken })).status).toBe(401)
    }
  })

  test('is refused as soon as a fetch shows that its key is removed, while the keys are fresh', async () => {
    const app = await startFresh(world)
    const old = await tokenOf(world, { sub: 'fan-0100' })
    expect(await statusOf(app, old)).toBe(200)
    await control(world, 'POST', '/keys/rotate', {})
    await control(world, 'POST', '/keys/retire', {})
    world.clock.advance(FETCH_COOLDOWN_MS)
    expect(await statusOf(app, old)).toBe(200)
    // The first token of the new key causes a fetch.
    expect(await statusOf(app, await tokenOf(world, { sub: 'fan-0100' }))).toBe(200)
    expect(await statusOf(app, old)).toBe(401)
  })

  test('is refused once the keys are no longer fresh, if its key is removed and nothing caused a fetch', async () => {
    const app = await startFresh(world)
    const old = await tokenOf(world, { sub: 'fan-0100' })
    expect(await statusOf(app, old)).toBe(200)
    await control(world, 'POST', '/keys/rotate', {})
    await control(world, 'POST', '/keys/retire', {})
    world.clock.advance(KEYS_FRESH_MS)
    expect(await statusOf(app, old)).toBe(401)
  })
})
