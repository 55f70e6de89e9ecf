import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import {
  authorizeParameters,
  authorizePath,
  createWorld,
  exchange,
  issuer,
  noon,
  obtainTokens,
  redirectUri,
} from './world.ts'

describe('the code flow', () => {
  test('issues tokens that verify against the published keys', async () => {
    const world = createWorld()
    const response = await world.post('/authorize', authorizeParameters({ sub: 'fan-0002' }))
    expect(response.status).toBe(303)
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(redirectUri)
    expect(location.searchParams.get('state')).toBe('the-state')
    expect(location.searchParams.get('iss')).toBe(issuer)

    const exchanged = await exchange(world, location.searchParams.get('code') ?? '')
    expect(exchanged.headers.get('cache-control')).toBe('no-store')
    const tokens = (await exchanged.json()) as Record<string, string>
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email' })

    const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
      [customFetch]: world.idp.fetch,
    })
    const currentDate = new Date(noon)
    const access = await jwtVerify(tokens.access_token ?? '', keys, {
      issuer,
      audience: 'matchday-api',
      typ: 'at+jwt',
      currentDate,
    })
    expect(access.payload).toMatchObject({
      sub: 'fan-0002',
      client_id: 'matchday-app',
      scope: 'openid profile email',
    })
    expect(Number(access.payload.exp) - Number(access.payload.iat)).toBe(3600)
    expect(access.payload.jti).toEqual(expect.any(String))

    const id = await jwtVerify(tokens.id_token ?? '', keys, {
      issuer,
      audience: 'matchday-app',
      typ: 'JWT',
      currentDate,
    })
    const digest = createHash('sha256')
      .update(tokens.access_token ?? '')
      .digest()
      .subarray(0, 16)
    expect(id.payload).toMatchObject({
      sub: 'fan-0002',
      nonce: 'the-nonce',
      sid: access.payload.sid,
      auth_time: noon / 1000,
      at_hash: digest.toString('base64url'),
      email: expect.stringContaining('@example.'),
    })
  })

  test('gives the claims of the scope, and an ID token only for openid', async () => {
    const world = createWorld()
    const narrow = await obtainTokens(world, { scope: 'openid' })
    expect(await (await world.userinfo(narrow.access_token)).json()).toEqual({ sub: 'fan-0001' })
    const none = await obtainTokens(world, { scope: 'email' })
    expect(none).not.toHaveProperty('id_token')
    expect((await world.userinfo(none.access_token)).status).toBe(403)
  })

  test('signs with the algorithm of a rotated key', async () => {
    const world = createWorld()
    await world.json('POST', '/_mock/keys/rotate', { alg: 'EdDSA' })
    const { id_token, access_token } = await obtainTokens(world)
    expect(decodeProtectedHeader(id_token).alg).toBe('EdDSA')
    expect((await world.userinfo(access_token)).status).toBe(200)
  })

  test('works for the custom scheme of the app, keeping the query of its redirect URI', async () => {
    const world = createWorld()
    const changes = { sub: 'fan-0001', redirect_uri: 'matchday://signed-in?from=idp' }
    const response = await world.post('/authorize', authorizeParameters(changes))
    expect(response.headers.get('location')).toMatch(/^matchday:\/\/signed-in\?from=idp&code=/)
  })
})

describe('a redirect URI', () => {
  const attacks = [
    'https://evil.example/callback',
    'http://localhost.evil.example/callback',
    'http://localhost@evil.example/callback',
    'http://localhost:3000@evil.example/',
    'http://evil.example/http://localhost:3000',
    'http://127.0.0.1.nip.io/',
    'http://2130706433/',
    'http://localhost:99999/',
    'http://localhost:3000/cb#fragment',
    'http://localhost\\@evil.example',
    'http://localhost:3000/cb\r\nset-cookie: a=b',
    'https://localhost:3000/callback',
    'HTTP://LOCALHOST:3000/callback',
    '//localhost:3000/',
    'javascript:alert(1)',
    'data:text/html,hello',
    'matchday:signed-in',
    'matchdays://signed-in',
    '',
  ]
  for (const attack of attacks) {
    test(`${JSON.stringify(attack)} is never redirected to, neither with a code nor with an error`, async () => {
      const world = createWorld()
      for (const changes of [{}, { response_type: 'token' }, { prompt: 'none' }]) {
        const shown = await world.get(authorizePath({ redirect_uri: attack, ...changes }))
        expect(shown.status).toBe(400)
        expect(shown.headers.has('location')).toBe(false)
        expect(shown.headers.get('content-type')).toContain('text/html')
      }
      const posted = await world.post(
        '/authorize',
        authorizeParameters({ redirect_uri: attack, sub: 'fan-0001' }),
      )
      expect(posted.status).toBe(400)
      expect(posted.headers.has('location')).toBe(false)
    })
  }

  test('may be any loopback address and port', async () => {
    const world = createWorld()
    for (const uri of [
      'http://localhost:1/',
      'http://127.0.0.1:65535/a/b?c=d',
      'http://[::1]:3000/cb',
      'http://localhost',
    ]) {
      expect((await world.get(authorizePath({ redirect_uri: uri }))).status).toBe(200)
    }
  })

  test('with the custom scheme is only valid for the app', async () => {
    const changes = { client_id: 'matchday-swagger', redirect_uri: 'matchday://signed-in' }
    expect((await createWorld().get(authorizePath(changes))).status).toBe(400)
  })

  test('of an unknown client is not redirected to', async () => {
    for (const client_id of ['evil', 'MATCHDAY-APP', undefined]) {
      expect((await createWorld().get(authorizePath({ client_id }))).status).toBe(400)
    }
  })

  test('sent twice is rejected with an error page', async () => {
    const response = await createWorld().get(`${authorizePath()}&redirect_uri=http://localhost:1/`)
    expect(response.status).toBe(400)
    expect(response.headers.has('location')).toBe(false)
  })
})

describe('an invalid request', () => {
  const cases: [string, Record<string, string | undefined>, string][] = [
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a short challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['for an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
    ['without a response type', { response_type: undefined }, 'invalid_request'],
    ['for a fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['with a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['with only an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['with an unknown prompt', { prompt: 'always' }, 'invalid_request'],
    ['with prompt none and another', { prompt: 'none login' }, 'invalid_request'],
    ['with prompt none and no fan signed in', { prompt: 'none' }, 'login_required'],
  ]
  for (const [name, changes, error] of cases) {
    test(`${name} redirects to the client with ${error}`, async () => {
      const response = await createWorld().get(authorizePath(changes))
      expect(response.status).toBe(303)
      const { searchParams } = new URL(response.headers.get('location') ?? '')
      expect(searchParams.get('error')).toBe(error)
      expect(searchParams.get('state')).toBe('the-state')
      expect(searchParams.get('iss')).toBe(issuer)
      expect(searchParams.has('code')).toBe(false)
    })
  }
})

describe('a browser that has signed in', () => {
  const signIn = async () => {
    const world = createWorld()
    const response = await world.post('/authorize', authorizeParameters({ sub: 'fan-0003' }))
    const setCookie = response.headers.get('set-cookie') ?? ''
    return { world, setCookie, cookie: setCookie.split(';')[0] ?? '' }
  }

  test('gets a code without a page for prompt none, unless the sign-in is too old', async () => {
    const { world, setCookie, cookie } = await signIn()
    expect(setCookie).toContain('HttpOnly; SameSite=Lax')
    const silent = await world.get(authorizePath({ prompt: 'none' }), { cookie })
    expect(new URL(silent.headers.get('location') ?? '').searchParams.has('code')).toBe(true)
    await world.idp.advance(60_000)
    const stale = await world.get(authorizePath({ prompt: 'none', max_age: '30' }), { cookie })
    expect(stale.headers.get('location')).toContain('error=login_required')
  })

  test('is too old from one second past max_age', async () => {
    const { world, cookie } = await signIn()
    const silently = async () => {
      const response = await world.get(authorizePath({ prompt: 'none', max_age: '30' }), { cookie })
      const { searchParams } = new URL(response.headers.get('location') ?? '')
      return searchParams.get('error') ?? (searchParams.has('code') ? 'code' : 'nothing')
    }
    await world.idp.advance(30_000)
    expect(await silently()).toBe('code')
    await world.idp.advance(1000)
    expect(await silently()).toBe('login_required')
  })

  test('is offered the same fan first, unless the client requires a new sign-in', async () => {
    const { world, cookie } = await signIn()
    expect(await (await world.get(authorizePath(), { cookie })).text()).toContain('Continue as')
    expect(await (await world.get(authorizePath({ prompt: 'login' }), { cookie })).text()).not.toContain(
      'Continue as',
    )
  })

  test('has no session after its fan is deleted', async () => {
    const { world, cookie } = await signIn()
    await world.send('DELETE', '/_mock/users/fan-0003')
    const response = await world.get(authorizePath({ prompt: 'none' }), { cookie })
    expect(response.headers.get('location')).toContain('error=login_required')
  })

  test('is signed out by end-session, which also ends the grant of its ID token', async () => {
    const { world, cookie } = await signIn()
    const { id_token, access_token } = await obtainTokens(world)
    const query = new URLSearchParams({
      id_token_hint: id_token,
      post_logout_redirect_uri: redirectUri,
      state: 'bye',
    })
    const response = await world.get(`/end-session?${query}`, { cookie })
    expect(response.headers.get('location')).toBe(`${redirectUri}?state=bye`)
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await world.userinfo(access_token)).status).toBe(401)
    const silent = await world.get(authorizePath({ prompt: 'none' }), { cookie })
    expect(silent.headers.get('location')).toContain('error=login_required')
  })
})

test('end-session redirects only to a registered URI of a known client', async () => {
  const world = createWorld()
  const evil = 'https://evil.example/'
  const attempts: Record<string, string>[] = [
    { post_logout_redirect_uri: redirectUri },
    { client_id: 'matchday-app', post_logout_redirect_uri: evil },
    { client_id: 'evil', post_logout_redirect_uri: evil },
    { id_token_hint: 'nonsense', client_id: 'matchday-app', post_logout_redirect_uri: redirectUri },
  ]
  for (const query of attempts) {
    const response = await world.get(`/end-session?${new URLSearchParams(query)}`)
    expect(response.status).toBe(400)
    expect(response.headers.has('location')).toBe(false)
  }
  expect((await world.get('/end-session')).status).toBe(200)
})
