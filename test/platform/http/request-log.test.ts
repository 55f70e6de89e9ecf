/** Request ids and the log: one line a request, and nothing in it that is not for a log. */
import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { createRequestLog } from '../../../src/platform/http/edge/request-log.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'

interface Line {
  level: number
  msg: string
  requestId: string
  method: string
  path: string
  status: number
  ms: number
}

onEngine(sqliteEngine, 'request ids and the log', world => {
  let flushed = 0

  /** Lines are written just after their answers: waits for those of every request before this call. */
  async function flush() {
    const id = `flush-${++flushed}`
    await world.anonymous.get('/api/teams', { 'x-request-id': id })
    await waitUntil('the request is logged', () => world.logged.at(-1)?.includes(`"${id}"`))
  }

  /** The lines that `work` causes. */
  async function linesOf(work: () => Promise<unknown>): Promise<Line[]> {
    await flush()
    const from = world.logged.length
    await work()
    await flush()
    return world.logged.slice(from, -1).map(line => JSON.parse(line) as Line)
  }

  test('a valid request id of the client is returned in the header and in the problem', async () => {
    for (const id of ['abc', 'A.b_c:d-9', '0'.repeat(128)]) {
      const { headers, body } = await world.anonymous.get('/api/rewards', { 'x-request-id': id })
      expect([headers.get('x-request-id'), body.requestId]).toEqual([id, id])
    }
  })

  test('an invalid request id is replaced by a generated one', async () => {
    for (const id of ['', ' ', 'a b', 'ü', 'a,b', '<script>', '"', '{}', '0'.repeat(129)]) {
      const { headers, body } = await world.anonymous.get('/api/rewards', { 'x-request-id': id })
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      expect(body.requestId).toBe(headers.get('x-request-id'))
    }
  })

  test('every response has its own request id: success, each problem, and the pages of the docs', async () => {
    const fan = await world.fan()
    const answers = await Promise.all([
      fan.get('/api/rewards'),
      fan.post('/api/user/profile', {}),
      world.anonymous.get('/api/rewards'),
      world.anonymous.get('/nothing'),
      world.anonymous.send('/healthz', { method: 'PUT' }),
      world.anonymous.get('/api/teams?%ff'),
      world.anonymous.get('/api/teams?a=1&a=2'),
      fan.post('/api/rewards/claim', {}),
      fan.send('/api/rewards/claim', { method: 'POST', body: 'x' }),
      world.app.handle(new Request('http://localhost/docs/json')),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 401, 404, 405, 400, 422, 422, 415, 200])
    expect(answers.filter(({ headers }) => !headers.get('x-request-id'))).toEqual([])
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(answers.length)
  })

  test('each request is logged once, with its method, path, status, id and time taken', async () => {
    const fan = await world.fan()
    const token = { authorization: `Bearer ${fan.token}` }
    for (const [method, path, status, headers] of [
      ['GET', '/.well-known/jwks.json', 200, {}],
      ['POST', '/api/user/profile', 201, token],
      ['POST', '/api/user/profile', 200, token],
      ['GET', '/api/user/points', 401, {}],
      ['GET', '/nothing', 404, {}],
      ['DELETE', '/healthz', 405, {}],
      ['GET', '/api/teams?%ff', 400, {}],
      ['GET', '/api/teams?a=1', 422, {}],
      ['GET', '/docs/json', 200, {}],
    ] as const) {
      const lines = await linesOf(() =>
        world.app.handle(
          new Request(`http://localhost${path}`, { method, headers: { ...headers, 'x-request-id': 'mine' } }),
        ),
      )
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatchObject({
        level: 30,
        msg: 'request',
        requestId: 'mine',
        method,
        path: path.split('?')[0],
        status,
      })
      expect(lines[0]?.ms).toBeNumber()
    }
  })

  test('a status other than 200 is logged, and a change of /readyz, whose probes have no line', async () => {
    world.clock.advance(48 * 3_600_000)
    const add = {
      method: 'POST',
      body: '{"match":"*","kind":"status"}',
      headers: { 'content-type': 'application/json' },
    }
    const control = 'http://localhost:4000/_mock/faults'
    expect((await world.idp.handle(new Request(control, add))).status).toBe(201)
    const lines = await linesOf(async () => {
      await world.anonymous.get('/readyz')
      await world.anonymous.get('/readyz')
      await world.fan().then(fan => fan.post('/api/user/sync-identity', {}))
    })
    await world.idp.handle(new Request(control, { method: 'DELETE' }))
    expect(lines.filter(({ msg }) => msg === 'request')).toMatchObject([
      { path: '/api/user/sync-identity', status: 503 },
    ])
    expect(lines.filter(({ msg }) => msg === 'not ready')).toHaveLength(1)
    world.clock.advance(2_000)
    const later = await linesOf(async () => expect((await world.anonymous.get('/readyz')).status).toBe(200))
    expect(later.map(({ msg }) => msg)).toEqual(['ready again'])
  })

  test('no token and no query string reaches the log, wherever the client put them', async () => {
    const fan = await world.fan()
    const bad = await world.idp.issueToken(fan.subject, { defect: 'wrong_key' })
    const lines = await linesOf(async () => {
      await fan.get('/api/rewards')
      await world.withToken(bad).get('/api/rewards')
      await world.anonymous.get(`/api/rewards?access_token=${fan.token}`)
      await world.anonymous.get(`/nothing?access_token=${fan.token}`)
      await fan.get(`/api/rewards?access_token=${fan.token}`)
      await fan.get('/api/user/points?cursor=a-tell-tale')
      await fan.post('/api/user/profile', { bio: 'a-tell-tale' })
    })
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(7)
    const text = JSON.stringify(lines)
    for (const secret of [
      fan.token,
      fan.token.split('.')[2],
      bad.split('.')[2],
      'access_token',
      'a-tell-tale',
    ]) {
      expect(text).not.toContain(String(secret))
    }
  })

  test('a path is logged as the template of its route, so that no redemption code reaches the log', async () => {
    const code = 'ABCD-EFGH-JKMN-PQR5'
    const server = world.withToken(await world.serverKey(['redemptions:read', 'redemptions:write']))
    const paths = async (work: () => Promise<unknown>) =>
      (await linesOf(work)).map(({ method, path, status }) => [method, path, status])
    const lines = await paths(async () => {
      await server.get(`/api/redemptions/${code}`)
      await server.post(`/api/redemptions/${code}/use`, {})
      await world.anonymous.post(`/api/redemptions/${code}/use`, {})
      await server.get(`/api/redemptions/${code}/use`)
      await server.get(`/api/redemptions/${code}/used`)
      await server.get(`/redemptions/${code}`)
      await server.get(`/api/redemptions/${code}?x=1`)
      await world.anonymous.get(`/api/redemptions/${code}?%ff`)
    })
    expect(lines).toEqual([
      ['GET', '/api/redemptions/:code', 404],
      ['POST', '/api/redemptions/:code/use', 404],
      ['POST', '/api/redemptions/:code/use', 401],
      ['GET', '/api/redemptions/:code/use', 405],
      ['GET', '/api/redemptions/…/used', 404],
      ['GET', '/redemptions/…', 404],
      ['GET', '/api/redemptions/:code', 422],
      ['GET', '/api/redemptions/:code', 400],
    ])
    expect(world.logged.join('')).not.toContain(code)
  })
})

test.each([
  ['GET', '/healthz', 200, 20],
  ['HEAD', '/readyz', 503, 20],
  ['DELETE', '/healthz', 405, 30],
  ['GET', '/api/teams', 200, 30],
])('%s %s with %i is logged at level %i', (method, path, status, level) => {
  const lines: string[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) })
  const isProbe = (asked: string) => asked === '/healthz' || asked === '/readyz'
  const requestLog = createRequestLog(log, { observe: undefined, templateOf: known => known, isProbe })
  const request = new Request(`http://localhost${path}`, { method })
  requestLog.begin(request, 'mine')
  requestLog.end(request, status, path)
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { level, method, path, status, requestId: 'mine' },
  ])
})

onEngine(sqliteEngine, 'Unknown paths in the log', world => {
  test('an unknown path is cut to 200 characters, and more than ten in a second share one line a second', async () => {
    const path = `/${'unknown/'.repeat(100)}`
    const from = world.logged.length
    const later = () => world.logged.slice(from).map(text => JSON.parse(text) as Line & { count?: number })
    await world.anonymous.get(path)
    const [line] = await waitUntil('it is logged', () => (world.logged.length > from ? later() : null))
    expect(line?.path).toBe(path.slice(0, 200))

    const unlogged = () => later().reduce((sum, { count = 0 }) => sum + count, 0)
    const requests = () => later().filter(({ msg, status }) => msg === 'request' && status === 404)
    for (let n = 0; n < 100; n++) await world.anonymous.get(`/nothing/${n}`)
    await waitUntil('the flood is counted', () => requests().length + unlogged() === 101)
    expect(requests().length).toBeLessThanOrEqual(10)
    // A continued flood has no lines of its own.
    const before = requests().length
    for (let n = 0; n < 100; n++) await world.anonymous.get(`/nothing/${n}`)
    await waitUntil('the flood is counted', () => requests().length + unlogged() === 201)
    expect(requests()).toHaveLength(before)
    expect(later().filter(({ msg }) => msg === 'requests of unknown paths').length).toBeLessThanOrEqual(4)
  })
})
