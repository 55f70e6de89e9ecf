/** `verifyToken` of @matchday/backend: native tokens of the API, forged ones, and keys that cannot be read. */
import { afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { VerificationError, verifyToken } from '@matchday/backend'
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The code of the refusal and its status; `accepted` without one. */
async function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
    return 'accepted'
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    return `${error.code} ${error.status}`
  }
}

async function makeKey(alg: string, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } }
}
type Key = Awaited<ReturnType<typeof makeKey>>

/** A token as the API issues it, except for what is given. */
function issue(
  { alg, kid, privateKey }: Pick<Key, 'alg' | 'kid' | 'privateKey'>,
  claims: JWTPayload = {},
  header: object = {},
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const own = {
    iss: 'urn:matchday',
    aud: 'matchday-api',
    sub: 'fan-0001',
    sid: 's',
    jti: 'j',
    iat,
    exp: iat + 900,
  }
  const defined = Object.entries({ ...own, ...claims }).filter(([, value]) => value !== undefined)
  return new SignJWT(Object.fromEntries(defined))
    .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
    .sign(privateKey)
}

onEngine(sqliteEngine, 'verifyToken with the API', world => {
  let origin: string
  let key: Pick<Key, 'alg' | 'kid' | 'privateKey'>
  beforeAll(async () => {
    world.clock.ms = Date.now()
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
    const { key: jwk } = world.config.nativeTokens
    // Guarantee of the casts: keys of development are of an elliptic curve.
    key = { alg: 'ES256', kid: jwk.kid ?? '', privateKey: (await importJWK(jwk, 'ES256')) as CryptoKey }
  })

  test('a native token is accepted, with its claims', async () => {
    const fan = await world.fan()
    const { body } = await fan.post('/api/auth/native-token', {})
    for (const given of [body.token, `Bearer ${body.token}`, `bearer  ${body.token}`]) {
      const { sub, sid, exp, iat } = await verifyToken(given, { origin })
      expect([sub, sid, exp - iat]).toEqual([fan.subject, body.sessionId, 900])
    }
    expect(await outcomeOf(verifyToken(body.token, { origin: `${origin}/` }))).toBe('accepted')
  })

  test('a session token of the identity provider is refused, and the message names the reason', async () => {
    const { token } = await world.fan()
    expect(await outcomeOf(verifyToken(token, { origin }))).toBe('token_refused 401')
  })

  test.each<[string, JWTPayload, object, string]>([
    ['as the API issues it', {}, {}, 'accepted'],
    ['of another issuer', { iss: 'urn:other' }, {}, 'token_refused 401'],
    ['for another audience', { aud: 'other-api' }, {}, 'token_refused 401'],
    ['for no audience', { aud: undefined }, {}, 'token_refused 401'],
    ['that is an ID token', {}, { typ: 'JWT' }, 'token_refused 401'],
    ['without a type', {}, { typ: undefined }, 'token_refused 401'],
    ['without an expiry', { exp: undefined }, {}, 'token_refused 401'],
    ['without a session', { sid: undefined }, {}, 'token_refused 401'],
    ['without a subject', { sub: undefined }, {}, 'token_refused 401'],
    ['of a key that is unknown', {}, { kid: 'other' }, 'token_refused 401'],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 60 }, {}, 'token_expired 401'],
  ])('a token %s: %s', async (_, claims, header, expected) => {
    expect(await outcomeOf(verifyToken(await issue(key, claims, header), { origin }))).toBe(expected)
  })

  test.each<[string, string | null | undefined]>([
    ['null', null],
    ['undefined', undefined],
    ['nothing', ''],
    ['a scheme alone', 'Bearer '],
    ['a scheme without a space', 'bearer'],
  ])('%s is no token', async (_, given) => {
    expect(await outcomeOf(verifyToken(given, { origin }))).toBe('token_missing 401')
  })

  test.each([
    ['no token', async () => 'mdk_of_a_server'],
    [
      'an unsigned token',
      async () => new UnsecuredJWT({ sub: 'fan-0001' }).setIssuer('urn:matchday').encode(),
    ],
    [
      'a token signed with the public key as a secret',
      async () => {
        const { key: jwk } = world.config.nativeTokens
        const secret = new TextEncoder().encode(JSON.stringify({ x: jwk.x, y: jwk.y }))
        return new SignJWT({ sub: 'fan-0001' })
          .setProtectedHeader({ alg: 'HS256', kid: key.kid, typ: 'at+jwt' })
          .sign(secret)
      },
    ],
    ['a token of a foreign key', async () => issue({ ...(await makeKey('ES256', key.kid)), kid: key.kid })],
    ['a token of an RSA key', async () => issue({ ...(await makeKey('RS256', key.kid)), kid: key.kid })],
    ['a token whose claims were changed', async () => `${(await issue(key)).replace(/\.[^.]+\./, '.e30.')}`],
  ])('%s is refused', async (_, make) => {
    expect(await outcomeOf(verifyToken(await make(), { origin }))).toBe('token_refused 401')
  })

  test('the issuer and the audience can be set', async () => {
    const token = await issue(key, { iss: 'https://club.example', aud: 'shop' })
    const given = { origin, issuer: 'https://club.example', audience: 'shop' }
    expect(await outcomeOf(verifyToken(token, given))).toBe('accepted')
    expect(verifyToken(token, { ...given, issuer: 'https://other.example' })).rejects.toThrow(
      'https://other.example',
    )
    expect(verifyToken(token, { ...given, audience: 'other' })).rejects.toThrow('other')
  })
})

describe('verifyToken and the keys of the API', () => {
  let keys: JWK[]
  let down: boolean
  let reads: number
  let server: Bun.Server<undefined>
  let origin: string
  beforeEach(() => {
    keys = []
    down = false
    reads = 0
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => {
        reads++
        return down ? new Response(null, { status: 502 }) : Response.json({ keys })
      },
    })
    origin = server.url.origin
  })
  afterEach(async () => {
    setSystemTime()
    await server.stop(true)
  })
  const later = (ms: number) => setSystemTime(new Date(Date.now() + ms))

  test('the keys are fetched once for many tokens, and again for a new key', async () => {
    const [first, second] = [await makeKey('ES256', 'first'), await makeKey('EdDSA', 'second')]
    keys = [first.jwk]
    for (const _ of [1, 2, 3])
      expect(await outcomeOf(verifyToken(await issue(first), { origin }))).toBe('accepted')
    expect(reads).toBe(1)
    keys = [second.jwk, first.jwk]
    later(MINUTE)
    for (const key of [second, first])
      expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('accepted')
    expect(reads).toBe(2)
  })

  test('a key of an algorithm that the API does not use verifies no token', async () => {
    const key = await makeKey('RS256', 'rsa')
    keys = [key.jwk]
    expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('token_refused 401')
  })

  test('tokens with unknown keys do not cause repeated fetches', async () => {
    const [known, unknown] = [await makeKey('ES256', 'known'), await makeKey('ES256', 'unknown')]
    keys = [known.jwk]
    for (const _ of [1, 2, 3, 4])
      expect(await outcomeOf(verifyToken(await issue(unknown), { origin }))).toBe('token_refused 401')
    expect(reads).toBe(1)
  })

  test('a failure of the first fetch is reported as an error of the keys, not of the token', async () => {
    down = true
    const key = await makeKey('ES256', 'key')
    expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('keys_unavailable 503')
    down = false
    keys = [key.jwk]
    expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('accepted')
  })

  test('known keys are used for a day while the API is down; a token of another key is neither accepted nor refused', async () => {
    const [key, another] = [await makeKey('ES256', 'key'), await makeKey('ES256', 'another')]
    keys = [key.jwk]
    expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('accepted')
    down = true
    later(23 * HOUR)
    expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('accepted')
    expect(await outcomeOf(verifyToken(await issue(another), { origin }))).toBe('keys_unavailable 503')
    later(2 * HOUR)
    expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('keys_unavailable 503')
    down = false
    expect(await outcomeOf(verifyToken(await issue(key), { origin }))).toBe('accepted')
  })

  test('a retired key is refused within ten minutes', async () => {
    const [old, fresh] = [await makeKey('ES256', 'old'), await makeKey('ES256', 'fresh')]
    keys = [old.jwk]
    expect(await outcomeOf(verifyToken(await issue(old), { origin }))).toBe('accepted')
    keys = [fresh.jwk]
    later(11 * MINUTE)
    expect(await outcomeOf(verifyToken(await issue(old), { origin }))).toBe('token_refused 401')
  })
})
