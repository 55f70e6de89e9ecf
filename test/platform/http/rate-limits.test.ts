/** Limits as clients meet them: 429 with the headers of the IETF's draft, by address before a caller is known. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createApp } from '../../../src/app/app.ts'
import { createRateLimiter, WINDOW_MS } from '../../../src/platform/http/rate-limits/rate-limiter.ts'
import { createClient } from '../../support/client.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, type World } from '../../support/world.ts'
import { isProtected, operationsOf, readDocument } from '../docs/document.ts'
import { NO_LIMITS } from './no-limits.ts'

/** The same application with these limits, and a monotonic clock of its own. */
function limited(world: World, rates: Partial<typeof NO_LIMITS>) {
  const clock = { ms: 0 }
  const rateLimiter = createRateLimiter({ rates: { ...NO_LIMITS, ...rates }, monotonic: () => clock.ms })
  const app = createApp({ ...world.deps, rateLimiter })
  const client = (token?: string) =>
    createClient(
      request => app.handle(request),
      () => null,
      token,
    )
  return { clock, client }
}

onEngine(sqliteEngine, 'rate limits', world => {
  test('above the quota of an address the response is 429 rate_limited with Retry-After, until the window ends', async () => {
    const { clock, client } = limited(world, { address: 3 })
    const get = () => client().get('/api/teams')
    for (const remaining of [2, 1, 0]) {
      const { status, headers } = await get()
      expect([status, headers.get('ratelimit')]).toEqual([200, `"address";r=${remaining};t=60`])
      expect(headers.get('ratelimit-policy')).toBe('"address";q=3;w=60')
    }
    const refused = await get()
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(refused.headers.get('ratelimit')).toBe('"address";r=0;t=60')
    clock.ms += WINDOW_MS
    expect((await get()).status).toBe(200)
  })

  test('guesses at tokens are limited by address, before a token is verified', async () => {
    const { client } = limited(world, { address: 5 })
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) statuses.push((await client(`guess${n}`).get('/api/rewards')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  })

  test('refused requests are counted as well: 404, 405, 413 and 422', async () => {
    const { client } = limited(world, { address: 4 })
    const statuses = [
      (await client().get('/api/nothing')).status,
      (await client().send('/api/teams', { method: 'DELETE' })).status,
      (await client().get('/api/teams?x=1')).status,
      (await client().post('/api/auth/native-token/refresh', { x: 'x'.repeat(70_000) })).status,
      (await client().get('/api/teams')).status,
    ]
    expect(statuses).toEqual([404, 405, 422, 413, 429])
  })

  test('probes of a load balancer are never refused', async () => {
    const { client } = limited(world, { address: 1 })
    for (const path of ['/healthz', '/readyz', '/healthz', '/readyz'])
      expect((await client().get(path)).status, path).toBe(200)
  })

  test('every protected operation counts its caller, and a limit is one fan’s own', async () => {
    const [ada, bob] = [await world.fan(), await world.fan()]
    const locked = operationsOf(await readDocument(world)).filter(isProtected)
    for (const { name, method, path } of locked) {
      const { client } = limited(world, { caller: 1 })
      const call = (token: string) =>
        client(token).send(`${path.replace(/\{[^}]+\}/g, 'some-id')}?no=parameter`, { method })
      expect([name, (await call(ada.token)).status]).toEqual([name, 422])
      expect([name, (await call(ada.token)).body.code]).toEqual([name, 'rate_limited'])
      expect([name, (await call(bob.token)).status]).toEqual([name, 422])
    }
  })

  test('tokens, claims and purchases have tighter limits in addition to that of all requests', async () => {
    const { token } = await world.fan()
    for (const [policy, method, path] of [
      ['tokens', 'GET', '/api/auth/sessions'],
      ['claims', 'POST', '/api/rewards/claim'],
      ['claims', 'POST', '/api/rewards/redeem'],
      ['purchases', 'POST', '/api/packs/purchase'],
      ['purchases', 'PUT', '/api/packs/purchase'],
      ['purchases', 'POST', '/api/packs/purchase/payment'],
      ['purchases', 'POST', '/api/packs/open'],
    ] as const) {
      const { client } = limited(world, { caller: 9, [policy]: 1 })
      const call = () => client(token).send(path, { method })
      const first = await call()
      expect(first.status, path).not.toBe(429)
      expect(first.headers.get('ratelimit-policy')).toBe(`"caller";q=9;w=60, "${policy}";q=1;w=60`)
      const second = await call()
      expect([path, second.status]).toEqual([path, 429])
      expect(second.headers.get('ratelimit')).toBe(`"caller";r=7;t=60, "${policy}";r=0;t=60`)
      expect((await client(token).get('/api/user/points')).status).toBe(200)
    }
  })

  test('refresh tokens, which name no caller, are limited by address', async () => {
    const { client } = limited(world, { tokensPerAddress: 2 })
    const logged = world.logged.length
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) {
      const refreshToken = `mdrt_${'a'.repeat(40)}${n}`
      statuses.push((await client().post('/api/auth/native-token/refresh', { refreshToken })).status)
    }
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.slice(0, 2)).not.toContain(429)
    const isEvent = (line: string) => line.includes('"securityEvent":"sign_in_limit_reached"')
    expect(world.logged.slice(logged).filter(isEvent)).toHaveLength(1)
  })

  test('behind an address with too many failures, callers with a valid token are served', async () => {
    const { client } = limited(world, { tokensPerAddress: 2 })
    const fan = await world.fan()
    const grant = (await client(fan.token).post('/api/auth/native-token', {})).body
    const refresh = (refreshToken: string) =>
      client().post('/api/auth/native-token/refresh', { refreshToken })
    for (const status of [401, 401, 429, 429])
      expect((await refresh(`mdrt_${'a'.repeat(43)}`)).status).toBe(status)
    expect((await refresh(grant.refreshToken)).status).toBe(200)
    expect((await client(fan.token).post('/api/auth/native-token', {})).status).toBe(200)
    expect((await client(fan.token).post('/api/auth/logout', { everywhere: true })).status).toBe(204)
    const leaving = await world.fan()
    expect((await client(leaving.token).send('/api/user', { method: 'DELETE' })).status).toBe(204)
  })

  test('only a refused token counts as a failure, and not what a page of another site can send', async () => {
    const { client } = limited(world, { tokensPerAddress: 1 })
    const path = '/api/auth/native-token/refresh'
    const json = { 'content-type': 'application/json' }
    const post = (body: string, headers: Record<string, string> = json) =>
      client().send(path, { method: 'POST', body, headers })
    const statuses = [
      (await client().get(path)).status,
      (await client().get(`${path}?bad=%zz`)).status,
      (await post('{}', { 'content-type': 'text/plain' })).status,
      (await post('{')).status,
      (await post('{}')).status,
      (await client().post('/api/auth/logout', {})).status,
      (await client('wrong').post('/api/auth/native-token', {})).status,
    ]
    expect(statuses).toEqual([405, 400, 415, 400, 422, 401, 401])
    const guess = () => client().post(path, { refreshToken: `mdrt_${'a'.repeat(43)}` })
    expect([(await guess()).status, (await guess()).status]).toEqual([401, 429])
  })

  test('a failure beyond the limit states when to try again, also in the headers', async () => {
    const { clock, client } = limited(world, { address: 9, tokensPerAddress: 1 })
    const refresh = () =>
      client().post('/api/auth/native-token/refresh', { refreshToken: `mdrt_${'a'.repeat(43)}` })
    const first = await refresh()
    expect(first.headers.get('ratelimit')).toBe('"address";r=8;t=60, "tokensPerAddress";r=0;t=60')
    clock.ms += WINDOW_MS - 1_000
    const { status, headers } = await refresh()
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
    expect(headers.get('ratelimit-policy')).toBe('"address";q=9;w=60, "tokensPerAddress";q=1;w=60')
    clock.ms += 1_000
    expect((await refresh()).status).toBe(401)
  })

  test('a limit is documented for every operation', async () => {
    for (const { name, operation } of operationsOf(await readDocument(world))) {
      expect(operation.responses[429]?.headers, name).toHaveProperty('Retry-After')
    }
  })
})

onEngine(
  sqliteEngine,
  'addresses over a socket',
  world => {
    let origin = ''
    beforeAll(() => {
      world.app.listen({ hostname: '127.0.0.1', port: 0 })
      origin = `http://127.0.0.1:${world.app.server?.port}`
    })
    afterAll(() => world.app.server?.stop(true))

    test('behind a trusted proxy each client has its own limit, and cannot change its address', async () => {
      const statusOf = async (forwardedFor: string) =>
        (await fetch(`${origin}/api/teams`, { headers: { 'x-forwarded-for': forwardedFor } })).status
      expect(await statusOf('1.1.1.1')).toBe(200)
      expect(await statusOf('1.1.1.1')).toBe(200)
      expect(await statusOf('9.9.9.9, 1.1.1.1')).toBe(429)
      expect(await statusOf('2.2.2.2')).toBe(200)
    })
  },
  { env: { RATE_LIMIT_ADDRESS: '2', TRUSTED_PROXIES: '127.0.0.0/8' } },
)
