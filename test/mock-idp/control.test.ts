import { describe, expect, test } from 'bun:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createWorld, issuer, noon, obtainTokens, refresh } from './world.ts'

interface UserPage {
  users: Record<string, unknown>[]
  total: number
}

describe('users', () => {
  test('are listed in pages and found by any part of a name, ignoring accents', async () => {
    const { json } = createWorld()
    await json('POST', '/_mock/users', { sub: 'zoe', name: 'Zoë Ångström', email: 'zoe@example.com' })
    const page = await json<UserPage>('GET', '/_mock/users?limit=2&offset=1')
    expect(page).toMatchObject({ total: 41, users: [{ sub: 'fan-0002' }, { sub: 'fan-0003' }] })
    const found = await json<UserPage>('GET', '/_mock/users?q=ANGSTROM%20zoe')
    expect(found.users.map(({ sub }) => sub)).toEqual(['zoe'])
  })

  test('can be created without any claim', async () => {
    const { json, send } = createWorld()
    const made = await send('POST', '/_mock/users', {})
    expect(made.status).toBe(201)
    const user = (await made.json()) as Record<string, unknown>
    expect(user).toEqual({
      sub: 'fan-0041',
      picture: `${issuer}/avatars/fan-0041.png`,
      updated_at: noon / 1000,
    })
    expect(await json('GET', '/_mock/users/fan-0041')).toEqual(user)
  })

  test('get a later updated_at with every change, even within one second', async () => {
    const { json } = createWorld()
    const stamps: number[] = []
    for (const name of ['One', 'Two', 'Three']) {
      stamps.push(Number((await json('PATCH', '/_mock/users/fan-0001', { name })).updated_at))
    }
    expect(stamps).toEqual([noon / 1000, noon / 1000 + 1, noon / 1000 + 2])
  })

  test('lose a claim that is set to null', async () => {
    const { json } = createWorld()
    expect(await json('PATCH', '/_mock/users/fan-0001', { email: null })).not.toHaveProperty('email')
  })

  test('that are unknown: 404', async () => {
    const { send } = createWorld()
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect((await send(method, '/_mock/users/nobody', method === 'PATCH' ? {} : undefined)).status).toBe(
        404,
      )
    }
  })
})

describe('tokens', () => {
  test('take a lifetime, claims, a scope, a client and a typ', async () => {
    const { json } = createWorld()
    const wanted = {
      expiresIn: 60,
      claims: { roles: ['steward'] },
      scope: 'openid',
      clientId: 'other',
      typ: 'JWT',
    }
    const response = await json('POST', '/_mock/tokens', { sub: 'fan-0001', ...wanted })
    const token = String(response.access_token)
    expect(response.expires_in).toBe(60)
    expect(decodeProtectedHeader(token).typ).toBe('JWT')
    expect(decodeJwt(token)).toMatchObject({
      exp: noon / 1000 + 60,
      roles: ['steward'],
      scope: 'openid',
      client_id: 'other',
    })
  })

  test('of an unknown user: 404', async () => {
    expect((await createWorld().send('POST', '/_mock/tokens', { sub: 'nobody' })).status).toBe(404)
  })
})

describe('input', () => {
  test('with an unknown member is rejected with a list of the accepted members', async () => {
    const { send } = createWorld()
    const response = await send('POST', '/_mock/tokens', { sub: 'fan-0001', expires_in: 5 })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringMatching(
        /Unknown member "expires_in".*Accepted: sub \(.*expiresIn\? \(/s,
      ),
    })
  })

  test('is never coerced', async () => {
    const { send } = createWorld()
    const cases: [string, string, unknown][] = [
      ['POST', '/_mock/tokens', { sub: 'fan-0001', expiresIn: '60' }],
      ['POST', '/_mock/tokens', { sub: 1 }],
      ['POST', '/_mock/tokens', []],
      ['POST', '/_mock/tokens', {}],
      ['PATCH', '/_mock/users/fan-0001', { email_verified: 'true' }],
      ['PATCH', '/_mock/users/fan-0001', { sub: 'other' }],
      ['PATCH', '/_mock/users/fan-0001', { picture: 'javascript:alert(1)' }],
      ['POST', '/_mock/clock', { advanceMs: -1 }],
      ['POST', '/_mock/clock', { advanceMs: 1.5 }],
      ['POST', '/_mock/reset', { hard: true }],
    ]
    for (const [method, path, body] of cases) expect((await send(method, path, body)).status).toBe(400)
    expect((await send('GET', '/_mock/users?limit=ten')).status).toBe(400)
  })

  test('must be JSON with the media type of JSON', async () => {
    const { idp, post } = createWorld()
    expect((await post('/_mock/tokens', { sub: 'fan-0001' })).status).toBe(415)
    const headers = { 'content-type': 'application/json' }
    expect(
      (await idp.fetch(`${issuer}/_mock/tokens`, { method: 'POST', headers, body: '{"sub":' })).status,
    ).toBe(400)
  })

  test('cannot reach the prototype', async () => {
    const { idp } = createWorld()
    const headers = { 'content-type': 'application/json' }
    const body = '{"__proto__":{"sub":"fan-0001"}}'
    expect((await idp.fetch(`${issuer}/_mock/tokens`, { method: 'POST', headers, body })).status).toBe(400)
  })
})

test('advancing the clock moves the timestamps of the provider', async () => {
  const { idp, json } = createWorld()
  expect(await json('GET', '/_mock/clock')).toEqual({ now: '2026-03-01T12:00:00.000Z', offsetMs: 0 })
  const advanced = await json('POST', '/_mock/clock', { advanceMs: 90_000 })
  expect(advanced).toMatchObject({ now: '2026-03-01T12:01:30.000Z', offsetMs: 90_000 })
  expect(decodeJwt(await idp.issueToken('fan-0001')).iat).toBe(noon / 1000 + 90)
  expect((await json('PATCH', '/_mock/users/fan-0001', {})).updated_at).toBe(noon / 1000 + 90)
})

test('the request log names method, path and subject, contains no secret, and can be filtered and cleared', async () => {
  const world = createWorld()
  const { access_token, refresh_token } = await obtainTokens(world)
  await world.userinfo(access_token)
  await world.get('/.well-known/jwks.json?code=secret')
  const { requests } = await world.json<{ requests: Record<string, unknown>[] }>('GET', '/_mock/requests')
  expect(requests.map(({ method, path, sub }) => [method, path, sub])).toEqual([
    ['POST', '/authorize', 'fan-0001'],
    ['POST', '/token', 'fan-0001'],
    ['GET', '/userinfo', 'fan-0001'],
    ['GET', '/.well-known/jwks.json', undefined],
  ])
  for (const word of [access_token, refresh_token, 'secret'])
    expect(JSON.stringify(requests)).not.toContain(word)
  const filtered = await world.json<{ requests: unknown[] }>('GET', '/_mock/requests?path=/userinfo')
  expect(filtered.requests).toHaveLength(1)
  expect((await world.send('DELETE', '/_mock/requests')).status).toBe(204)
  expect(await world.json('GET', '/_mock/requests')).toEqual({ requests: [] })
})

test('a reset restores the state at start', async () => {
  const world = createWorld()
  const { json, send, get, idp } = world
  const before = await json('GET', '/_mock/users?limit=100')
  const keys = await (await get('/.well-known/jwks.json')).json()
  const tokens = await obtainTokens(world)
  await send('DELETE', '/_mock/users/fan-0001')
  await json('PATCH', '/_mock/users/fan-0002', { name: 'Changed' })
  await json('POST', '/_mock/users', { sub: 'extra' })
  await json('POST', '/_mock/faults', { match: '*', kind: 'status' })
  await json('PUT', '/_mock/webhooks', { url: 'http://localhost:9/', mode: 'paused' })
  await json('POST', '/_mock/clock', { advanceMs: 1000 })

  const response = await json('POST', '/_mock/reset')
  expect(response).toEqual({ users: 40, now: '2026-03-01T12:00:00.000Z', offsetMs: 0 })
  expect(await json('GET', '/_mock/users?limit=100')).toEqual(before)
  expect(await (await get('/.well-known/jwks.json')).json()).not.toEqual(keys)
  expect(await json('GET', '/_mock/faults')).toEqual({ faults: [] })
  expect(await json('GET', '/_mock/webhooks')).toMatchObject({
    url: null,
    mode: 'normal',
    pending: 0,
    deliveries: [],
  })
  expect((await world.userinfo(tokens.access_token)).status).toBe(401)
  expect((await refresh(world, tokens.refresh_token)).status).toBe(400)
  expect((await world.userinfo(await idp.issueToken('fan-0001'))).status).toBe(200)
})
