/** The signing keys of native tokens: rotation with two keys, and forged tokens. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { createHmac, createPublicKey, type webcrypto } from 'node:crypto'
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { type Application, startWith } from './application.ts'
import { tokenOf } from './provider-controls.ts'

const PATH = '/api/rewards'

async function makeKey(alg: 'ES256' | 'Ed25519'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const key = await exportJWK(privateKey)
  return { ...key, kid: await calculateJwkThumbprint(key) }
}
const publicPart = ({ d: _, ...key }: JWK): JWK => key

onEngine(sqliteEngine, 'native token keys', world => {
  let [older, newer, edwards]: JWK[] = []
  beforeAll(async () => {
    ;[older, newer, edwards] = [await makeKey('ES256'), await makeKey('ES256'), await makeKey('Ed25519')]
  })

  const withKeys = (key: JWK | undefined, previous: (JWK | undefined)[] = []) =>
    startWith(world, {
      NATIVE_TOKEN_KEY: JSON.stringify(key),
      NATIVE_TOKEN_PREVIOUS_KEYS: JSON.stringify(previous),
    })
  const signIn = async ({ as }: Application): Promise<{ token: string; refreshToken: string }> =>
    (await as((await world.fan()).token).post('/api/auth/native-token', {})).body
  const statusOf = async ({ as }: Application, token: string) => (await as(token).get(PATH)).status
  const kidsOf = async ({ as }: Application) =>
    (await as().get('/.well-known/jwks.json')).body.keys.map(({ kid }: JWK) => kid)

  describe('in rotation', () => {
    test('tokens of the previous key verify while it is configured, as private or public key', async () => {
      const before = await withKeys(older)
      const old = await signIn(before)
      for (const previous of [older, publicPart(older ?? {})]) {
        const during = await withKeys(newer, [previous])
        expect(await kidsOf(during)).toEqual([newer?.kid, older?.kid])
        expect(await statusOf(during, old.token)).toBe(200)
        const renewed = await signIn(during)
        expect(decodeProtectedHeader(renewed.token).kid).toBe(newer?.kid)
        expect(await statusOf(during, renewed.token)).toBe(200)
      }
    })

    test('the new key can be published before it signs, so that instances can switch one by one', async () => {
      const [notYet, already] = [await withKeys(older, [newer]), await withKeys(newer, [older])]
      for (const issuing of [notYet, already]) {
        const { token } = await signIn(issuing)
        expect([await statusOf(notYet, token), await statusOf(already, token)]).toEqual([200, 200])
      }
    })

    test('a session survives the rotation: its refresh token returns tokens of the new key', async () => {
      const old = await signIn(await withKeys(older))
      const after = await withKeys(newer, [older])
      const { status, body } = await after
        .as()
        .post('/api/auth/native-token/refresh', { refreshToken: old.refreshToken })
      expect([status, decodeProtectedHeader(body.token).kid]).toEqual([200, newer?.kid])
    })

    test('once the previous key is removed, its tokens are 401 and those of the new key are not', async () => {
      const old = await signIn(await withKeys(older))
      const dropped = await withKeys(newer)
      const renewed = await signIn(dropped)
      const { status, headers, body } = await dropped.as(old.token).get(PATH)
      expect([status, body.code]).toEqual([401, 'invalid_token'])
      expect(headers.get('www-authenticate')).toStartWith('Bearer error="invalid_token"')
      expect(await statusOf(dropped, renewed.token)).toBe(200)
      expect(await kidsOf(dropped)).toEqual([newer?.kid])
    })

    test('from P-256 to Ed25519 and back, and the key set states the algorithms and nothing private', async () => {
      const old = await signIn(await withKeys(older))
      const modern = await withKeys(edwards, [older])
      const { token } = await signIn(modern)
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'EdDSA', kid: edwards?.kid })
      expect([await statusOf(modern, old.token), await statusOf(modern, token)]).toEqual([200, 200])
      expect(await statusOf(await withKeys(older, [publicPart(edwards ?? {})]), token)).toBe(200)
      const { body } = await modern.as().get('/.well-known/jwks.json')
      expect(body.keys).toMatchObject([
        { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' },
        { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' },
      ])
      expect(body.keys.some((key: object) => 'd' in key)).toBe(false)
    })
  })

  describe('against forged tokens', () => {
    let app: Application
    /** The claims of a valid native token with an active session. */
    let claims: JWTPayload
    beforeAll(async () => {
      app = await withKeys(older)
      const { token } = await signIn(app)
      claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    })

    async function sign(change: JWTPayload = {}, header: object = {}, by?: JWK): Promise<string> {
      const key = by ?? older ?? {}
      const alg = key.kty === 'OKP' ? 'EdDSA' : 'ES256'
      const full = { alg, typ: 'at+jwt', kid: older?.kid, ...header } as JWTHeaderParameters
      return new SignJWT({ ...claims, ...change })
        .setProtectedHeader(full)
        .sign(await importJWK(key, alg), { crit: { 'urn:x': true } })
    }
    const unsigned = (header: object) =>
      [{ typ: 'at+jwt', kid: older?.kid, ...header }, claims]
        .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')

    async function expectRefused(forged: Record<string, string>) {
      // The same claims with a valid signature are accepted: only the change matters.
      expect(await statusOf(app, await sign())).toBe(200)
      for (const [what, token] of Object.entries(forged)) {
        const { status, headers, body } = await app.as(token).get(PATH)
        expect([status, body.code], what).toEqual([401, 'invalid_token'])
        expect(headers.get('www-authenticate'), what).toStartWith('Bearer error="invalid_token"')
      }
    }

    test('missing, wrong or expired claims are refused, although the signature is valid', async () => {
      const now = Math.floor(world.clock.ms / 1000)
      await expectRefused({
        expired: await sign({ iat: now - 1000, exp: now - 5 }),
        'not yet valid': await sign({ nbf: now + 6 }),
        'no exp': await sign({ exp: undefined }),
        'no iat': await sign({ iat: undefined }),
        'no sub': await sign({ sub: undefined }),
        'no jti': await sign({ jti: undefined }),
        'no sid': await sign({ sid: undefined }),
        'a session that never was': await sign({ sid: 'nobody' }),
        'a session that is no text': await sign({ sid: { toString: 'x' } }),
        'another audience': await sign({ aud: 'some-other-api' }),
        'no audience': await sign({ aud: undefined }),
        'another issuer': await sign({ iss: 'urn:somebody' }),
        'an ID token’s typ': await sign({}, { typ: 'JWT' }),
        'no typ': await sign({}, { typ: undefined }),
        'an unknown critical extension': await sign({}, { crit: ['urn:x'], 'urn:x': true }),
      })
    })

    test('no signature, an HMAC with the public key, and keys in the header of the token are refused', async () => {
      const own = publicPart(older ?? {})
      const pem = createPublicKey({ key: own as webcrypto.JsonWebKey, format: 'jwk' })
        .export({ type: 'spki', format: 'pem' })
        .toString()
      const mac = (secret: string) => {
        const input = unsigned({ alg: 'HS256' })
        return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
      }
      const forger = await makeKey('ES256')
      const edForger = await makeKey('Ed25519')
      await expectRefused({
        none: `${unsigned({ alg: 'none' })}.`,
        None: `${unsigned({ alg: 'None' })}.`,
        'none with a signature': `${unsigned({ alg: 'none' })}.AAAA`,
        'HS256 with the PEM': mac(pem),
        'HS256 with the JWK': mac(JSON.stringify(own)),
        'HS256 with the coordinate': mac(own.x ?? ''),
        'another key under our kid': await sign({}, {}, forger),
        'another key of another kind under our kid': await sign({}, {}, edForger),
        'another key under its own kid': await sign({}, { kid: forger.kid }, forger),
        'an embedded jwk': await sign({}, { jwk: publicPart(forger), kid: undefined }, forger),
        'a jku': await sign({}, { jku: 'http://localhost:4000/jwks', kid: forger.kid }, forger),
        'an empty signature': `${unsigned({ alg: 'ES256' })}.`,
        'a signature of zeros': `${unsigned({ alg: 'ES256' })}.${Buffer.alloc(64).toString('base64url')}`,
      })
    })

    test('a token of the provider with the native issuer is refused, and so is a native token with the issuer of the provider', async () => {
      const { issuer } = world.config.identity
      const subject = String(claims.sub)
      expect(await statusOf(app, await world.idp.issueToken(subject))).toBe(200)
      const { kid } = decodeProtectedHeader(await world.idp.issueToken(subject))
      await expectRefused({
        'the provider as us': await tokenOf(world, {
          sub: subject,
          claims: { iss: claims.iss, sid: claims.sid },
        }),
        'us as the provider': await sign({ iss: issuer }),
        'us as the provider, under its key id': await sign({ iss: issuer }, { kid }),
        'both at once': await sign({ iss: [String(claims.iss), issuer] as unknown as string }),
        'our issuer with a slash': await sign({ iss: `${claims.iss}/` }),
      })
    })
  })
})
