/** The provider's documents and claims are validated before they are used. */
import { describe, expect, test } from 'bun:test'
import { parseClaims, parseUserinfo } from '../../../src/platform/identity-provider/claims.ts'
import { discoveryUrl, readDiscovery } from '../../../src/platform/identity-provider/discovery.ts'

const issuer = 'https://login.example.com'
const rules = { httpsOnly: true, publicOnly: true, allowPrivate: [] }
const document = {
  issuer,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/userinfo`,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
}

describe('readDiscovery', () => {
  test('reads the endpoints of the requested issuer, with or without a trailing slash', () => {
    expect(discoveryUrl(issuer)).toBe(`${issuer}/.well-known/openid-configuration`)
    const endpoints = {
      jwks: `${issuer}/keys`,
      userinfo: `${issuer}/userinfo`,
      authorization: `${issuer}/authorize`,
      token: `${issuer}/token`,
    }
    expect(readDiscovery(document, issuer, rules)).toEqual(endpoints)
    expect(readDiscovery({ ...document, issuer: `${issuer}/` }, issuer, rules)).toEqual(endpoints)
  })

  test('refuses another issuer, and a document without usable keys', () => {
    for (const change of [
      { issuer: 'https://evil.example' },
      { issuer: `${issuer}.evil.example` },
      { issuer: undefined },
      { jwks_uri: undefined },
      { jwks_uri: 'keys' },
      { jwks_uri: `http://login.example.com/keys` },
      { jwks_uri: 'https://user:pw@login.example.com/keys' },
      { jwks_uri: 'file:///keys' },
    ]) {
      expect(() => readDiscovery({ ...document, ...change }, issuer, rules)).toThrow('its discovery document')
    }
  })

  test('refuses a document with a URL that is not permitted: another scheme, a loopback or private address', () => {
    for (const url of [
      7,
      'userinfo',
      'http://login.example.com/userinfo',
      'https://localhost/userinfo',
      'https://idp.localhost/',
      'https://127.0.0.1/',
      'https://127.1/',
      'https://0x7f000001/',
      'https://10.0.0.7/',
      'https://172.20.1.1/',
      'https://192.168.1.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://[fd00::1]/',
      'https://[fe80::1]/',
    ]) {
      for (const member of ['jwks_uri', 'userinfo_endpoint', 'token_endpoint', 'authorization_endpoint']) {
        expect(() => readDiscovery({ ...document, [member]: url }, issuer, rules)).toThrow(
          `permitted ${member}`,
        )
      }
    }
    expect(readDiscovery({ ...document, userinfo_endpoint: undefined }, issuer, rules).userinfo).toBeNull()
    expect(readDiscovery({ ...document, jwks_uri: 'https://8.8.8.8/keys' }, issuer, rules).jwks).toContain(
      '8.8.8.8',
    )
  })

  test('in development a provider on a loopback address is accepted', () => {
    const plain = { issuer: 'http://localhost:4000', jwks_uri: 'http://localhost:4000/jwks' }
    const lenient = { httpsOnly: false, publicOnly: false, allowPrivate: [] }
    expect(readDiscovery(plain, plain.issuer, lenient).jwks).toBe(plain.jwks_uri)
  })
})

describe('parseClaims', () => {
  const now = new Date('2026-08-15T18:30:00.000Z')
  const userinfo = { statedAt: now, now, complete: true }
  const event = { ...userinfo, complete: false }
  const good = {
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada Ökafor',
    picture: 'https://example.com/ada.png',
    updated_at: 1_780_000_000.5,
  }

  test('reads the standard claims, and null for claims that userinfo omits', () => {
    expect(parseClaims('fan-1', good, userinfo)).toEqual({
      claims: {
        subject: 'fan-1',
        email: good.email,
        emailVerified: true,
        name: good.name,
        picture: good.picture,
        updatedAt: new Date(1_780_000_000_500),
        statedAt: now,
      },
      refused: [],
    })
    const nothing = {
      email: null,
      emailVerified: null,
      name: null,
      picture: null,
      updatedAt: now,
      statedAt: now,
    }
    for (const raw of [
      {},
      { email: null, email_verified: null, name: null, picture: null, updated_at: null },
    ]) {
      expect(parseClaims('fan-1', raw, userinfo)).toEqual({
        claims: { subject: 'fan-1', ...nothing },
        refused: [],
      })
    }
  })

  test('leaves out and names claims of the wrong type, size or encoding, and keeps the rest', () => {
    for (const [name, values] of Object.entries({
      email: [7, '', ' ', 'x'.repeat(321), 'a\0b', '\ud800', ['a@b']],
      email_verified: ['yes', 1, {}],
      name: [7, {}, '   ', 'x'.repeat(201), 'a\nb', '\udfff'],
      picture: [
        'ada.png',
        'javascript:alert(1)',
        'data:image/png;base64,AA',
        `https://x/${'y'.repeat(2048)}`,
        7,
      ],
      updated_at: [
        '2026',
        -1,
        1e300,
        Number.POSITIVE_INFINITY,
        Number.NaN,
        1_780_000_000_000_000,
        1_786_819_200,
      ],
    })) {
      for (const value of values) {
        const { claims, refused } = parseClaims('fan-1', { ...good, [name]: value }, userinfo)
        expect([value, refused]).toEqual([value, [name]])
        const kept = Object.values(claims).filter(claim => claim !== undefined)
        expect(kept).toHaveLength(name === 'updated_at' ? 7 : 6)
      }
    }
  })

  test('distinguishes a claim that an event omits from one that it clears', () => {
    const { claims } = parseClaims('fan-1', { email: null, name: 'Ada' }, event)
    expect(claims).toMatchObject({ email: null, emailVerified: undefined, name: 'Ada', picture: undefined })
  })

  test('every time more than five minutes in the future is ignored', () => {
    const at = (ms: number) => new Date(now.getTime() + ms)
    const inSeconds = (ms: number) => at(ms).getTime() / 1000
    const judge = (ahead: number, updated_at?: number) =>
      parseClaims('fan-1', { updated_at }, { ...event, statedAt: at(ahead) }).claims
    expect(judge(300_000)).toMatchObject({ updatedAt: at(300_000), statedAt: at(300_000) })
    expect(judge(300_001)).toMatchObject({ updatedAt: now, statedAt: now })
    expect(judge(0, inSeconds(300_000))).toMatchObject({ updatedAt: at(300_000), statedAt: now })
    expect(judge(0, inSeconds(301_000))).toMatchObject({ updatedAt: now, statedAt: now })
    expect(judge(32_000_000_000_000, 32_472_144_000)).toMatchObject({ updatedAt: now, statedAt: now })
  })

  test('userinfo is stated by the clock of the provider, from its Date header', () => {
    const asked = now.getTime()
    const statedAt = (date: string, latency = 0) => {
      const answer = { body: {}, headers: new Headers(date === '' ? {} : { date }) }
      const { claims } = parseUserinfo('fan-1', answer, now, { now: new Date(asked + latency) })
      return claims.statedAt.getTime() - asked
    }
    const dateOf = (ms: number) => new Date(asked + ms).toUTCString()
    expect(statedAt('')).toBe(0)
    expect(statedAt('no date')).toBe(0)
    expect(statedAt(dateOf(0))).toBe(0)
    expect(statedAt(dateOf(0), 900)).toBe(0)
    expect(statedAt(dateOf(2_000), 2_400)).toBe(0)
    expect(statedAt(dateOf(-3_000))).toBe(-2_001)
    expect(statedAt(dateOf(3_000))).toBe(3_000)
    expect(statedAt(dateOf(4_000_000_000))).toBe(0)
  })

  test('reads updated_at in seconds and in ISO 8601', () => {
    for (const updated_at of [1_780_000_000, '2026-05-28T20:26:40.000Z', '2026-05-28T22:26:40+02:00']) {
      const { claims, refused } = parseClaims('fan-1', { updated_at }, userinfo)
      expect([claims.updatedAt.getTime(), refused]).toEqual([1_780_000_000_000, []])
    }
  })

  test('never takes the subject from the claims', () => {
    expect(parseClaims('fan-1', { ...good, sub: 'fan-2' }, userinfo).claims.subject).toBe('fan-1')
  })
})
