import { describe, expect, test } from 'bun:test'
import { createHmac, createPublicKey } from 'node:crypto'
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
} from 'jose'
import { type Defect, defects } from '../../mock-idp/oidc/defects.ts'
import { createWorld, issuer, noon } from './world.ts'

const leeway = 30
const now = noon / 1000

/** The members in which a defective token differs from a valid one issued at the same time for the same fan. */
async function compare(defect: Defect) {
  const { idp, get } = createWorld()
  // Random claims are set, so that only the defect differs.
  const claims = { jti: 'same', sid: 'same' }
  const [good, bad] = [
    await idp.issueToken('fan-0001', { claims }),
    await idp.issueToken('fan-0001', { claims, defect }),
  ]
  const jwks = (await (await get('/.well-known/jwks.json')).json()) as JSONWebKeySet
  const signed = await jwtVerify(bad, createLocalJWKSet(jwks), { currentDate: new Date(noon) }).then(
    () => true,
    error => (error as { code: string }).code,
  )
  return {
    bad,
    jwks,
    signed,
    header: decodeProtectedHeader(bad) as Record<string, unknown>,
    claims: decodeJwt(bad) as Record<string, unknown>,
    headerDiff: difference(decodeProtectedHeader(good), decodeProtectedHeader(bad)),
    claimsDiff: difference(decodeJwt(good), decodeJwt(bad)),
  }
}

function difference(one: object, two: object): string[] {
  const [a, b] = [new Map(Object.entries(one)), new Map(Object.entries(two))]
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter(name => !Bun.deepEquals(a.get(name), b.get(name)))
    .sort()
}

describe('a token with the defect', () => {
  test('expired has an exp one hour in the past', async () => {
    const { headerDiff, claimsDiff, claims } = await compare('expired')
    expect([headerDiff, claimsDiff]).toEqual([[], ['exp', 'iat']])
    expect(Number(claims.exp)).toBeLessThan(now - leeway)
    expect(Number(claims.iat)).toBeLessThan(Number(claims.exp))
  })

  test('not_yet_valid becomes valid in an hour', async () => {
    const { headerDiff, claimsDiff, claims } = await compare('not_yet_valid')
    expect([headerDiff, claimsDiff]).toEqual([[], ['exp', 'nbf']])
    expect(Number(claims.nbf)).toBeGreaterThan(now + leeway)
  })

  test('future_iat was issued in the future and has no nbf', async () => {
    const { headerDiff, claimsDiff, claims, signed } = await compare('future_iat')
    expect([headerDiff, claimsDiff]).toEqual([[], ['exp', 'iat']])
    expect(Number(claims.iat)).toBeGreaterThan(now + leeway)
    expect(signed).toBe(true)
  })

  test('wrong_audience is for another API', async () => {
    const { headerDiff, claimsDiff, claims, signed } = await compare('wrong_audience')
    expect([headerDiff, claimsDiff]).toEqual([[], ['aud']])
    expect(claims.aud).not.toBe('matchday-api')
    expect(signed).toBe(true)
  })

  test('wrong_issuer names another issuer', async () => {
    const { headerDiff, claimsDiff, claims, signed } = await compare('wrong_issuer')
    expect([headerDiff, claimsDiff]).toEqual([[], ['iss']])
    expect(claims.iss).not.toBe(issuer)
    expect(signed).toBe(true)
  })

  test('wrong_key has the kid of the right key and is signed with another', async () => {
    const { headerDiff, claimsDiff, signed } = await compare('wrong_key')
    expect([headerDiff, claimsDiff]).toEqual([[], []])
    expect(signed).toBe('ERR_JWS_SIGNATURE_VERIFICATION_FAILED')
  })

  test('unknown_kid has the kid of an unpublished key', async () => {
    const { headerDiff, claimsDiff, signed } = await compare('unknown_kid')
    expect([headerDiff, claimsDiff]).toEqual([['kid'], []])
    expect(signed).toBe('ERR_JWKS_NO_MATCHING_KEY')
  })

  test('alg_none has no signature', async () => {
    const { bad, header, headerDiff, claimsDiff } = await compare('alg_none')
    expect([headerDiff, claimsDiff]).toEqual([['alg'], []])
    expect(header.alg).toBe('none')
    expect(bad.endsWith('.')).toBe(true)
  })

  test('hs256_public_key is an HMAC that a verifier trusting the header would accept', async () => {
    const { bad, header, headerDiff, claimsDiff, jwks } = await compare('hs256_public_key')
    expect([headerDiff, claimsDiff]).toEqual([['alg'], []])
    expect(header.alg).toBe('HS256')
    const [key] = jwks.keys
    const pem = createPublicKey({ key: { ...key }, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    const [head, payload, signature] = bad.split('.')
    expect(createHmac('sha256', pem).update(`${head}.${payload}`).digest('base64url')).toBe(signature ?? '')
  })

  test('embedded_jwk contains the key that it verifies with', async () => {
    const { bad, header, headerDiff, claimsDiff, signed } = await compare('embedded_jwk')
    expect([headerDiff, claimsDiff]).toEqual([['jwk'], []])
    expect(signed).toBe('ERR_JWS_SIGNATURE_VERIFICATION_FAILED')
    const verified = await jwtVerify(bad, await importJWK(header.jwk as JWK, 'ES256'), {
      currentDate: new Date(noon),
    })
    expect(verified.payload.sub).toBe('fan-0001')
    expect(header.jwk).not.toHaveProperty('d')
  })

  test('unknown_crit requires an unknown extension', async () => {
    const { header, headerDiff, claimsDiff, signed } = await compare('unknown_crit')
    const [extension] = header.crit as string[]
    expect(headerDiff).toEqual(['crit', extension ?? ''])
    expect(claimsDiff).toEqual([])
    expect(signed).toBe('ERR_JOSE_NOT_SUPPORTED')
  })

  for (const name of ['exp', 'sub'] as const) {
    test(`no_${name} lacks ${name}`, async () => {
      const { headerDiff, claimsDiff, claims, signed } = await compare(`no_${name}`)
      expect([headerDiff, claimsDiff]).toEqual([[], [name]])
      expect(claims).not.toHaveProperty(name)
      expect(signed).toBe(true)
    })
  }

  test('id_token is an ID token for the API’s own audience', async () => {
    const { header, claims, signed } = await compare('id_token')
    expect(header.typ).toBe('JWT')
    expect(claims).toMatchObject({
      aud: 'matchday-api',
      iss: issuer,
      nonce: expect.any(String),
      azp: 'matchday-app',
    })
    expect(claims).not.toHaveProperty('scope')
    expect(signed).toBe(true)
  })
})

test('the control call issues every defect', async () => {
  const { send } = createWorld()
  for (const defect of defects) {
    const response = await send('POST', '/_mock/tokens', { sub: 'fan-0001', defect })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^\S+\.\S+\./),
    })
  }
})

test('defects also work with keys of other algorithms', async () => {
  for (const alg of ['RS256', 'PS256', 'EdDSA']) {
    const { idp, json, userinfo } = createWorld()
    await json('POST', '/_mock/keys/rotate', { alg })
    expect((await userinfo(await idp.issueToken('fan-0001'))).status).toBe(200)
    for (const defect of ['wrong_key', 'hs256_public_key', 'embedded_jwk'] as const) {
      expect((await userinfo(await idp.issueToken('fan-0001', { defect }))).status).toBe(401)
    }
  }
})
