/** Token verification with key sets and claims that the mock provider does not create. */
import { describe, expect, test } from 'bun:test'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import {
  type SessionTokenRules,
  verifySessionToken,
} from '../../../src/platform/identity-provider/session-token.ts'
import { KICK_OFF } from '../../support/clock.ts'

const seconds = KICK_OFF / 1000
const pairs = await Promise.all(Array.from({ length: 11 }, () => generateKeyPair('ES256')))
const elliptic = await Promise.all(pairs.map(({ publicKey }) => exportJWK(publicKey)))
const rsa: JWK = await exportJWK((await generateKeyPair('RS256')).publicKey)

const rulesWith = (rules: Partial<SessionTokenRules>): SessionTokenRules => ({
  findKey: createLocalJWKSet({ keys: elliptic.slice(0, 1) }),
  issuer: 'https://login.example.com',
  audiences: ['matchday-api'],
  audienceClaim: 'aud',
  requiredClaims: {},
  allowedClients: [],
  requiredScopes: [],
  explainTokens: false,
  typ: null,
  now: () => new Date(KICK_OFF),
  ...rules,
})

async function verdict(claims: object, rules: Partial<SessionTokenRules> = {}, signer = 0, header = {}) {
  const key = pairs[signer]?.privateKey
  if (!key) throw new Error('no such key')
  const base = { iss: 'https://login.example.com', aud: 'matchday-api', sub: 'fan', iat: seconds }
  const token = await new SignJWT({ ...base, exp: seconds + 60, ...claims })
    .setProtectedHeader({ alg: 'ES256', ...header })
    .sign(key)
  return verifySessionToken(token, rulesWith(rules)).then(
    ({ subject }) => `accepted for ${subject}`,
    ({ code, explanation }) => `${code}: ${explanation.detail}`,
  )
}

const ACCEPTED = 'accepted for fan'
const refused = (claim: string) => `invalid_token: The token's ${claim} is not accepted.`
const UNSIGNED = 'invalid_token: The signature does not verify.'

describe('a token without kid', () => {
  const several = (count: number) => ({
    findKey: createLocalJWKSet({ keys: [rsa, ...elliptic.slice(0, count)] }),
  })

  test('is verified with each key of its algorithm', async () => {
    for (const signer of [0, 1, 2]) expect(await verdict({}, several(3), signer)).toBe(ACCEPTED)
  })

  test('is refused if none of the keys verifies it', async () => {
    expect(await verdict({}, several(3), 3)).toBe(UNSIGNED)
  })

  test('is refused for invalid claims, as any other token', async () => {
    expect(await verdict({ aud: 'another' }, several(3), 2)).toBe(refused('aud'))
    expect(await verdict({ exp: seconds - 60 }, several(3), 2)).toBe('invalid_token: The token has expired.')
  })

  test('is verified with at most ten keys', async () => {
    expect(await verdict({}, several(11), 9)).toBe(ACCEPTED)
    expect(await verdict({}, several(11), 10)).toBe(UNSIGNED)
  })

  test('is not verified with keys of another algorithm or use', async () => {
    const [first, second, third] = elliptic
    const keys = [
      { ...first, alg: 'ES384' },
      { ...second, use: 'enc' },
      { ...third, key_ops: ['sign'] },
    ]
    const findKey = createLocalJWKSet({ keys: [...keys, ...elliptic.slice(3, 5)] as JWK[] })
    for (const signer of [0, 1, 2]) expect(await verdict({}, { findKey }, signer)).toBe(UNSIGNED)
    expect(await verdict({}, { findKey }, 4)).toBe(ACCEPTED)
  })

  test('is verified by either of two keys with the same kid', async () => {
    const findKey = createLocalJWKSet({ keys: elliptic.slice(0, 2).map(key => ({ ...key, kid: 'one' })) })
    for (const signer of [0, 1]) expect(await verdict({}, { findKey }, signer, { kid: 'one' })).toBe(ACCEPTED)
  })
})

describe('required claims', () => {
  test.each([
    ['text', 'true', 'true', true],
    ['boolean', true, true, 'true'],
    ['number', 2, 2, '2'],
    ['text of digits', '2', '2', 2],
    ['text in place of a list', 'fan', 'fan', ['fan']],
  ])('compare the value with its type: %s', async (_, value, right, wrong) => {
    const requiredClaims = { member: value }
    expect(await verdict({ member: right }, { requiredClaims })).toBe(ACCEPTED)
    expect(await verdict({ member: wrong }, { requiredClaims })).toBe(refused('member'))
    expect(await verdict({}, { requiredClaims })).toBe(refused('member'))
  })

  test('without a value are satisfied by any value except null', async () => {
    const requiredClaims = { sid: null }
    for (const sid of ['s', 0, false, []]) expect(await verdict({ sid }, { requiredClaims })).toBe(ACCEPTED)
    for (const sid of [null, undefined])
      expect(await verdict({ sid }, { requiredClaims })).toBe(refused('sid'))
  })

  test('an audience in another claim is a string, or in a list, and of no other type', async () => {
    const rules: Partial<SessionTokenRules> = { audienceClaim: 'client_id', audiences: ['7'] }
    for (const client_id of ['7', ['6', '7']]) expect(await verdict({ client_id }, rules)).toBe(ACCEPTED)
    for (const client_id of [7, '6', undefined, null, [7]])
      expect(await verdict({ client_id }, rules)).toBe(refused('client_id'))
  })
})

test.each(['aud', 'client_id'])(
  'one matching audience of several in %s is sufficient, and others are refused',
  async audienceClaim => {
    const rules: Partial<SessionTokenRules> = { audienceClaim, audiences: ['ios', 'web'] }
    for (const found of ['ios', 'web', ['desk', 'web']])
      expect(await verdict({ [audienceClaim]: found }, rules)).toBe(ACCEPTED)
    for (const found of ['ios,web', 'desk', ['desk'], [], '', undefined])
      expect(await verdict({ [audienceClaim]: found }, rules)).toBe(refused(audienceClaim))
    expect(await verdict({ [audienceClaim]: 'desk' }, { ...rules, explainTokens: true })).toBe(
      audienceClaim === 'aud'
        ? `${refused('aud')} Expected ["ios","web"], received "desk".`
        : refused(audienceClaim),
    )
  },
)

describe('allowed clients', () => {
  const rules = { allowedClients: ['app', 'web'] }

  test('are compared with client_id and azp; if a token has both, both must be allowed', async () => {
    for (const claims of [{ client_id: 'app' }, { azp: 'web' }, { client_id: 'app', azp: 'web' }])
      expect(await verdict(claims, rules)).toBe(ACCEPTED)
    expect(await verdict({ client_id: 'desk' }, rules)).toBe(refused('client_id'))
    expect(await verdict({ client_id: 'app', azp: 'desk' }, rules)).toBe(refused('azp'))
    expect(await verdict({ client_id: ['app'] }, rules)).toBe(refused('client_id'))
    expect(await verdict({}, rules)).toBe(refused('client_id'))
  })

  test('are all clients by default', async () => {
    expect(await verdict({ client_id: 'desk' })).toBe(ACCEPTED)
  })
})

describe('required scopes', () => {
  const rules = { requiredScopes: ['openid', 'matchday'] }

  test.each([
    ['scope as text', { scope: 'profile matchday openid' }],
    ['scp as an array', { scp: ['openid', 'matchday'] }],
    ['scp as text', { scp: 'openid matchday' }],
    ['scope as an array', { scope: ['matchday', 'openid'] }],
  ])('are granted by %s', async (_, claims) => {
    expect(await verdict(claims, rules)).toBe(ACCEPTED)
  })

  test.each([
    ['one is missing', { scope: 'openid' }],
    ['one is granted in part', { scope: 'openid matchday:read' }],
    ['neither claim is there', {}],
    ['they are of another type', { scope: { openid: true, matchday: true } }],
  ])('refuse the token where %s', async (_, claims) => {
    expect(await verdict(claims, rules)).toBe(refused('scope'))
  })
})

test('a sender-constrained token is refused as a bearer token', async () => {
  for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }, { jwk: elliptic[0] }, {}]) {
    expect(await verdict({ cnf })).toMatch(/^invalid_token: The token is bound to a key \(cnf\)/)
  }
})
