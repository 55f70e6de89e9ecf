/** What the provider publishes and says of a user is judged before it is used. */
import { describe, expect, test } from 'bun:test'
import { judgeClaims } from '../../src/identity/claims.ts'
import { discoveryUrl, readDiscovery } from '../../src/identity/discovery.ts'

const issuer = 'https://login.example.com'
const document = {
  issuer,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/userinfo`,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
}

describe('readDiscovery', () => {
  test('takes the endpoints of the issuer that was asked, a slash at its end aside', () => {
    expect(discoveryUrl(issuer)).toBe(`${issuer}/.well-known/openid-configuration`)
    const endpoints = {
      jwks: `${issuer}/keys`,
      userinfo: `${issuer}/userinfo`,
      authorization: `${issuer}/authorize`,
      token: `${issuer}/token`,
    }
    expect(readDiscovery(document, issuer)).toEqual(endpoints)
    expect(readDiscovery({ ...document, issuer: `${issuer}/` }, issuer)).toEqual(endpoints)
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
      expect(() => readDiscovery({ ...document, ...change }, issuer)).toThrow('its discovery document')
    }
  })

  test('leaves out an endpoint that cannot be used, and never leaves https for http', () => {
    for (const userinfo_endpoint of [undefined, 7, 'userinfo', 'http://login.example.com/userinfo']) {
      expect(readDiscovery({ ...document, userinfo_endpoint }, issuer).userinfo).toBeNull()
    }
    const plain = { issuer: 'http://localhost:4000', jwks_uri: 'http://localhost:4000/jwks' }
    expect(readDiscovery(plain, plain.issuer).jwks).toBe(plain.jwks_uri)
  })
})

describe('judgeClaims', () => {
  const good = {
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada Ökafor',
    picture: 'https://example.com/ada.png',
    updated_at: 1_780_000_000.5,
  }

  test('takes the standard claims, and null for what is not sent', () => {
    expect(judgeClaims('fan-1', good)).toEqual({
      claims: {
        subject: 'fan-1',
        email: good.email,
        emailVerified: true,
        name: good.name,
        picture: good.picture,
        updatedAt: new Date(1_780_000_000_500),
      },
      refused: [],
    })
    const nothing = { email: null, emailVerified: null, name: null, picture: null, updatedAt: null }
    for (const raw of [
      {},
      { email: null, email_verified: null, name: null, picture: null, updated_at: null },
    ]) {
      expect(judgeClaims('fan-1', raw)).toEqual({ claims: { subject: 'fan-1', ...nothing }, refused: [] })
    }
  })

  test('leaves out and names what is mistyped, oversized or unfit for a database, and keeps the rest', () => {
    for (const [name, values] of Object.entries({
      email: [7, '', ' ', 'x'.repeat(321), 'a\0b', '\ud800', ['a@b']],
      email_verified: ['true', 1, {}],
      name: [7, {}, '   ', 'x'.repeat(201), 'a\nb', '\udfff'],
      picture: [
        'ada.png',
        'javascript:alert(1)',
        'data:image/png;base64,AA',
        `https://x/${'y'.repeat(2048)}`,
        7,
      ],
      updated_at: ['2026', -1, 1e300, Number.POSITIVE_INFINITY, Number.NaN, 1_780_000_000_000_000],
    })) {
      for (const value of values) {
        const { claims, refused } = judgeClaims('fan-1', { ...good, [name]: value })
        expect([value, refused]).toEqual([value, [name]])
        const kept = Object.values(claims).filter(claim => claim !== null)
        expect(kept).toHaveLength(5)
      }
    }
  })

  test('never takes the subject from the claims', () => {
    expect(judgeClaims('fan-1', { ...good, sub: 'fan-2' }).claims.subject).toBe('fan-1')
  })
})
