/** Request ids and the log: one line a request, and nothing in it that is not for a log. */
import { expect, test } from 'bun:test'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'

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
    await world.anonymous.get('/healthz', { 'x-request-id': id })
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
      const { headers, body } = await world.anonymous.get('/nothing', { 'x-request-id': id })
      expect([headers.get('x-request-id'), body.requestId]).toEqual([id, id])
    }
  })

  test('an invalid request id is replaced by a generated one', async () => {
    for (const id of ['', ' ', 'a b', 'ü', 'a,b', '<script>', '"', '{}', '0'.repeat(129)]) {
      const { headers, body } = await world.anonymous.get('/nothing', { 'x-request-id': id })
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
      ['GET', '/healthz', 200, {}],
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

  test('a status other than 200 that a route sets is logged', async () => {
    world.clock.advance(48 * 3_600_000)
    const add = {
      method: 'POST',
      body: '{"match":"*","kind":"status"}',
      headers: { 'content-type': 'application/json' },
    }
    const control = 'http://localhost:4000/_mock/faults'
    expect((await world.idp.handle(new Request(control, add))).status).toBe(201)
    const lines = await linesOf(() => world.anonymous.get('/readyz'))
    await world.idp.handle(new Request(control, { method: 'DELETE' }))
    expect(lines.filter(({ msg }) => msg === 'request')).toMatchObject([{ path: '/readyz', status: 503 }])
    world.clock.advance(2_000)
    expect((await world.anonymous.get('/readyz')).status).toBe(200)
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
})
