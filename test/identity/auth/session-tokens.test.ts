/** Session tokens at a protected route: which ones are refused, and with which response (RFC 6750). */
import { expect, test } from 'bun:test'
import { defects } from '../../../mock-idp/oidc/defects.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { tokenOf } from './provider-controls.ts'

const PATH = '/api/rewards'
const INVALID = /^Bearer error="invalid_token", error_description="[^"\\]+"$/

onEngine(sqliteEngine, 'session tokens', world => {
  const get = (authorization: string) => world.anonymous.get(PATH, { authorization })

  async function verdict(token: string) {
    const { status, headers, body } = await get(`Bearer ${token}`)
    if (status === 200) return 'accepted'
    expect([status, body.code]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toMatch(INVALID)
    return body.detail as string
  }

  test('a valid token is accepted and identifies its subject', async () => {
    const token = await tokenOf(world, { sub: 'fan-0007' })
    const { status, body } = await world.withToken(token).post('/api/user/profile', {})
    expect([status, body.identity.subject]).toEqual([201, 'fan-0007'])
  })

  const EXPECTED: Record<(typeof defects)[number], string> = {
    expired: 'The token has expired.',
    not_yet_valid: "The token's nbf is not accepted.",
    future_iat: 'The token is issued in the future.',
    wrong_audience: "The token's aud is not accepted.",
    wrong_issuer: "The token's iss is not accepted.",
    wrong_key: 'The signature does not verify.',
    unknown_kid: 'No key of the provider matches the token.',
    alg_none: 'The algorithm is not accepted.',
    hs256_public_key: 'The algorithm is not accepted.',
    embedded_jwk: 'The signature does not verify.',
    unknown_crit: 'The token cannot be read.',
    no_exp: "The token's exp is not accepted.",
    no_sub: "The token's sub is not accepted.",
    id_token: "The token's typ is not accepted.",
  }
  for (const defect of defects) {
    test(`a token with the defect ${defect} is 401 invalid_token: ${EXPECTED[defect]}`, async () => {
      expect(await verdict(await tokenOf(world, { defect }))).toBe(EXPECTED[defect])
    })
  }

  test('claims of the wrong type are refused, and so is a subject that a database cannot store', async () => {
    for (const claims of [
      { sub: '' },
      { sub: 7 },
      { sub: 'a\0b' },
      { sub: 'x'.repeat(256) },
      { sub: '\ud800' },
      { exp: 'soon' },
      { exp: 1e300 },
      { iat: 'now' },
      { iat: null },
      { nbf: '0' },
      { aud: [] },
      { aud: ['some-other-api'] },
      { iss: ['http://localhost:4000'] },
      { iss: 'http://localhost:4000/other' },
    ]) {
      expect([claims, await verdict(await tokenOf(world, { claims }))]).not.toContain('accepted')
    }
  })

  test('one audience of several, and an issuer with a trailing slash, are accepted', async () => {
    const aud = ['some-other-api', world.config.identity.audiences[0]]
    expect(await verdict(await tokenOf(world, { claims: { aud } }))).toBe('accepted')
    const iss = `${world.config.identity.issuer}/`
    expect(await verdict(await tokenOf(world, { claims: { iss } }))).toBe('accepted')
  })

  test('the typ must be at+jwt or application/at+jwt', async () => {
    expect(await verdict(await tokenOf(world, { typ: 'application/at+jwt' }))).toBe('accepted')
    for (const typ of ['JWT', 'id+jwt', 'at+jwt+x']) {
      expect(await verdict(await tokenOf(world, { typ }))).toBe("The token's typ is not accepted.")
    }
  })

  test('a token with a changed header, payload or signature is refused', async () => {
    const parts = (await tokenOf(world, {})).split('.')
    expect(await verdict(parts.join('.'))).toBe('accepted')
    for (const at of [0, 1, 2]) {
      const part = parts[at] ?? ''
      const other = part[5] === 'A' ? 'B' : 'A'
      const changed = parts.with(at, part.slice(0, 5) + other + part.slice(6)).join('.')
      expect(await verdict(changed)).not.toBe('accepted')
    }
  })

  test('the refusal of a malformed token contains no message of a library', async () => {
    for (const text of [
      'x',
      'a.b',
      'a.b.c',
      'a.b.c.d.e',
      '..',
      'e30.e30.',
      'e30.e30.e30',
      `${'a'.repeat(20_000)}`,
    ]) {
      expect([text.slice(0, 10), await verdict(text)]).toEqual([
        text.slice(0, 10),
        text.length > 16_384 ? 'The token is too long.' : 'The token cannot be read.',
      ])
    }
  })

  test('an expired token has 30 seconds of clock tolerance, and no more', async () => {
    const expiring = await tokenOf(world, { expiresIn: 60 })
    world.clock.advance(60_000 + 29_999)
    expect(await verdict(expiring)).toBe('accepted')
    world.clock.advance(1)
    expect(await verdict(expiring)).toBe('The token has expired.')
  })

  const DAY = 86_400
  const wholeSecond = () => Math.floor(world.clock.ms / 1000)

  test.each([
    ['an exp in milliseconds', () => ({ exp: world.clock.ms + 3_600_000 }), 'exp'],
    ['an exp past the year 9999', () => ({ exp: 253_402_300_800 }), 'exp'],
    ['an exp of 1e300', () => ({ exp: 1e300 }), 'exp'],
    ['an exp more than a year ahead', () => ({ exp: wholeSecond() + 367 * DAY }), 'exp'],
    ['an iat of -1e300', () => ({ iat: -1e300 }), 'iat'],
    ['a negative iat', () => ({ iat: -1 }), 'iat'],
    ['an iat more than a year back', () => ({ iat: wholeSecond() - 367 * DAY }), 'iat'],
  ])('a token with %s is 401 at every operation, sign-in and logout included', async (_, claims, name) => {
    const token = await tokenOf(world, { claims: claims() })
    expect(await verdict(token)).toBe(`The token's ${name} is not accepted.`)
    const client = world.withToken(token)
    for (const path of ['/api/auth/native-token', '/api/auth/logout']) {
      const { status, body } = await client.post(path, {})
      expect([path, status, body.code]).toEqual([path, 401, 'invalid_token'])
    }
  })

  test('a token of one year, issued a year ago or now, is accepted', async () => {
    for (const claims of [{ exp: wholeSecond() + 366 * DAY }, { iat: wholeSecond() - 366 * DAY }]) {
      expect(await verdict(await tokenOf(world, { claims }))).toBe('accepted')
    }
  })

  test('a token from the future has 30 seconds of clock tolerance, and no more', async () => {
    const now = Math.floor(world.clock.ms / 1000)
    for (const [claims, accepted] of [
      [{ iat: now + 30 }, true],
      [{ iat: now + 31 }, false],
      [{ nbf: now + 30 }, true],
      [{ nbf: now + 31 }, false],
    ] as const) {
      const outcome = await verdict(await tokenOf(world, { claims }))
      expect([claims, outcome === 'accepted']).toEqual([claims, accepted])
    }
    const early = await tokenOf(world, { claims: { iat: now + 31 } })
    expect(await verdict(early)).toBe('The token is issued in the future.')
    world.clock.advance(1000)
    expect(await verdict(early)).toBe('accepted')
  })

  test('missing credentials, or those of another scheme, are 401 with a challenge without error', async () => {
    const token = await tokenOf(world, {})
    for (const headers of [
      {},
      { authorization: `Basic ${btoa('fan:secret')}` },
      { authorization: `Basic ${token}` },
      { authorization: token },
      { authorization: `Bearerx ${token}` },
      { authorization: '' },
      { cookie: `access_token=${token}` },
    ] as Record<string, string>[]) {
      const answer = await world.anonymous.get(PATH, headers)
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('a valid token in the query or the body is ignored, with any header', async () => {
    const token = await tokenOf(world, {})
    const query = `${PATH}?access_token=${token}`
    const alone = await world.anonymous.get(query)
    expect([alone.status, alone.body.code]).toEqual([401, 'unauthenticated'])
    expect(alone.headers.get('www-authenticate')).toBe('Bearer')
    for (const authorization of ['Bearer', 'bearer', 'bearer x', 'BEARER x', 'Bearer x']) {
      const answer = await world.anonymous.get(query, { authorization })
      expect([authorization, answer.status, answer.body.code]).toEqual([authorization, 401, 'invalid_token'])
    }
    const inBody = await world.anonymous.post('/api/user/profile', { access_token: token })
    expect([inBody.status, inBody.body.code]).toEqual([401, 'unauthenticated'])
  })

  test('the scheme is case-insensitive and may be followed by several spaces', async () => {
    const token = await tokenOf(world, {})
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEARER']) {
      expect((await get(`${scheme} ${token}`)).status).toBe(200)
      expect((await get(`${scheme}   ${token}  `)).status).toBe(200)
    }
  })

  test('credentials that are not a single token are 401 invalid_token', async () => {
    const token = await tokenOf(world, {})
    for (const value of [
      '',
      ' ',
      `${token} ${token}`,
      `${token}, Bearer ${token}`,
      `"${token}"`,
      `${token}\u00fc`,
    ]) {
      const { status, headers, body } = await get(`Bearer ${value}`)
      expect([value, status, body.code]).toEqual([value, 401, 'invalid_token'])
      expect(headers.get('www-authenticate')).toMatch(INVALID)
    }
  })
})

onEngine(
  sqliteEngine,
  'session tokens of a provider without a typ',
  world => {
    test('are accepted with any typ if IDP_TOKEN_TYP is none', async () => {
      for (const typ of ['JWT', 'at+jwt', 'anything']) {
        expect((await world.withToken(await tokenOf(world, { typ })).get(PATH)).status).toBe(200)
      }
      const unsigned = await tokenOf(world, { defect: 'alg_none' })
      expect((await world.withToken(unsigned).get(PATH)).status).toBe(401)
    })
  },
  { env: { IDP_TOKEN_TYP: 'none' } },
)

onEngine(
  sqliteEngine,
  'session tokens by client, scope and binding',
  world => {
    test('are accepted from an allowed client, with the required scopes and without a binding', async () => {
      const verdictOf = async (claims: object) => {
        const answer = await world.withToken(await tokenOf(world, { claims })).get(PATH)
        return answer.status === 401 ? [401, answer.body.code] : answer.status
      }
      expect(await verdictOf({})).toBe(200)
      expect(await verdictOf({ azp: 'matchday-app', scope: null, scp: ['email', 'profile'] })).toBe(200)
      for (const claims of [
        { client_id: 'another-app' },
        { client_id: null },
        { azp: 'another-app' },
        { scope: 'openid email' },
        { scope: null },
        { cnf: { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' } },
      ])
        expect([claims, await verdictOf(claims)]).toEqual([claims, [401, 'invalid_token']])
    })
  },
  { env: { IDP_ALLOWED_CLIENTS: 'matchday-app', IDP_REQUIRED_SCOPES: 'profile email' } },
)
