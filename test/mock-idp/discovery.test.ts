import { expect, test } from 'bun:test'
import { createMockIdp } from '../../mock-idp/app.ts'
import { createWorld, issuer } from './world.ts'

test('discovery names the issuer and endpoints below it', async () => {
  const { get } = createWorld()
  const document = await (await get('/.well-known/openid-configuration')).json()
  expect(document).toMatchObject({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/end-session`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  })
  expect(await (await get('/.well-known/oauth-authorization-server')).json()).toEqual(document)
})

test('the key set contains only public keys', async () => {
  const { get } = createWorld()
  const { keys } = (await (await get('/.well-known/jwks.json')).json()) as { keys: Record<string, string>[] }
  expect(keys).toHaveLength(1)
  expect(keys[0]).toMatchObject({
    kty: 'EC',
    crv: 'P-256',
    alg: 'ES256',
    use: 'sig',
    kid: expect.any(String),
  })
  expect(keys[0]).not.toHaveProperty('d')
})

test('an issuer that is not an origin is rejected at creation', () => {
  for (const wrong of [
    'http://localhost:4000/',
    'http://localhost:4000/realm',
    'localhost:4000',
    'nonsense',
  ]) {
    expect(() => createMockIdp({ issuer: wrong, fans: 0 })).toThrow(TypeError)
  }
})

test('a Host that is neither loopback nor the issuer is rejected', async () => {
  const { get } = createWorld()
  for (const host of ['evil.example', 'localhost.evil.example', '192.168.1.2:4000', '127.0.0.1.nip.io', '']) {
    expect((await get('/_mock/users', { host })).status).toBe(403)
    expect((await get('/.well-known/jwks.json', { host })).status).toBe(403)
  }
  for (const host of ['localhost', 'localhost:4000', '127.0.0.1:1', '[::1]:4000']) {
    expect((await get('/.well-known/jwks.json', { host })).status).toBe(200)
  }
})

test('the host of a configured issuer is accepted', async () => {
  const idp = createMockIdp({ issuer: 'http://10.0.2.2:4000', fans: 1 })
  expect((await idp.fetch('http://10.0.2.2:4000/userinfo')).status).toBe(401)
  expect((await idp.fetch('http://10.0.2.3:4000/userinfo')).status).toBe(403)
})

test('control calls and the sign-in form reject pages of other origins', async () => {
  const { idp, get } = createWorld()
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
    expect((await get('/_mock/users', { origin })).status).toBe(403)
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
    expect(
      (await idp.fetch(`${issuer}/authorize`, { method: 'POST', headers, body: 'sub=fan-0001' })).status,
    ).toBe(403)
  }
  const allowed = await get('/_mock/users', { origin: 'http://localhost:5173' })
  expect(allowed.status).toBe(200)
  expect(allowed.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
})

test('a page on another port may read the client endpoints, errors included, but not the sign-in page', async () => {
  const { idp, get } = createWorld()
  const origin = 'http://localhost:3000'
  for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/userinfo']) {
    expect((await get(path, { origin })).headers.get('access-control-allow-origin')).toBe('*')
  }
  const rejected = await idp.fetch(`${issuer}/token`, { method: 'POST', headers: { origin } })
  expect(rejected.status).toBe(400)
  expect(rejected.headers.get('access-control-allow-origin')).toBe('*')
  const preflight = await idp.fetch(`${issuer}/token`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-requested-with',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-requested-with')
  expect((await get('/authorize', { origin })).headers.has('access-control-allow-origin')).toBe(false)
})

test('an unknown path is a JSON 404', async () => {
  const response = await createWorld().get('/nowhere')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: 'not_found' })
})
