/** Every error is a problem document (RFC 9457), whatever went wrong, and says nothing that is not for the caller. */
import { expect, test } from 'bun:test'
import { type Database, DatabaseError, type DatabaseFault } from '../../../db/index.ts'
import { createApp } from '../../../src/app/app.ts'
import type { Answer } from '../../support/client.ts'
import { createClient } from '../../support/client.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, type World } from '../../support/world.ts'

const MEMBERS = ['type', 'title', 'status', 'code', 'detail', 'requestId']

function expectProblem({ status, headers, body }: Answer, expected: { status: number; code: string }) {
  expect([status, body.status, body.code]).toEqual([expected.status, expected.status, expected.code])
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body.type).toBe(`urn:matchday:problem:${expected.code}`)
  expect(
    Object.keys(body)
      .filter(member => member !== 'errors')
      .toSorted(),
  ).toEqual(MEMBERS.toSorted())
  for (const member of ['title', 'detail', 'requestId']) expect(body[member]).toBeString()
  expect(body.requestId).toBe(headers.get('x-request-id'))
}

/** The same application on a database that goes wrong, seen without the document: faults need not be documented. */
function onBrokenDatabase(world: World, broken: Partial<Database>) {
  const db = { ...world.db, ...broken }
  const { publicReads } = world.deps
  const primary = { read: db.read, cache: publicReads.primary.cache }
  const app = createApp({
    ...world.deps,
    db,
    publicReads: { ...publicReads, primary, read: work => work(primary) },
  })
  return createClient(
    request => app.handle(request),
    () => null,
  )
}

/** A database whose every read throws `error` once the query is made. */
function readThatThrows({ db }: World, error: unknown): Partial<Database> {
  const select = () => {
    throw error
  }
  return { read: Object.assign(Object.create(db.read), { select }) }
}

onEngine(sqliteEngine, 'paths and methods', world => {
  test('an unknown path is 404 not_found for every method, with a body or without', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      for (const path of ['/api', '/api/user/nothing', '/api/rewards/claim/more', '//api/teams']) {
        expectProblem(await world.anonymous.send(path, { method }), { status: 404, code: 'not_found' })
      }
    }
    const withBody = await world.anonymous.post('/api/nothing', { any: 'thing' })
    expectProblem(withBody, { status: 404, code: 'not_found' })
  })

  test('paths are matched exactly, trailing slashes and case included', async () => {
    for (const path of ['/api/teams/', '/API/teams', '/healthz/', '/api/user/points/']) {
      expectProblem(await world.anonymous.get(path), { status: 404, code: 'not_found' })
    }
  })

  test('another method on a known path is 405 with the methods that it takes, sorted', async () => {
    for (const [method, path, allow] of [
      ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/api/teams', 'GET, HEAD, OPTIONS'],
      ['PUT', '/api/user/profile', 'GET, HEAD, OPTIONS, PATCH, POST'],
      ['GET', '/api/rewards/claim', 'OPTIONS, POST'],
      ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await world.anonymous.send(path, { method })
      expectProblem(answer, { status: 405, code: 'method_not_allowed' })
      expect([path, answer.headers.get('allow')]).toEqual([path, allow])
      expect(answer.body.detail).toContain(allow)
    }
  })

  test('HEAD answers like GET without a body, is 405 where there is no GET, and 404 where there is nothing', async () => {
    const head = (path: string) =>
      world.app.handle(new Request(`http://localhost${path}`, { method: 'HEAD' }))
    const alive = await head('/healthz')
    expect([alive.status, await alive.text()]).toEqual([200, ''])
    expect(alive.headers.get('x-request-id')).toBeString()
    const refused = await head('/api/rewards/claim')
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
    expect((await head('/nothing')).status).toBe(404)
    expect((await head('/api/user/points')).status).toBe(401)
  })
})

onEngine(sqliteEngine, 'faults of ours', world => {
  test('an unexpected error is a 500 without details, which are in the log', async () => {
    const secret = 'secret: the password is hunter2'
    const client = onBrokenDatabase(world, readThatThrows(world, new Error(secret)))
    const from = world.logged.length
    const answer = await client.get('/api/teams')
    expectProblem(answer, { status: 500, code: 'internal_error' })
    expect(answer.body.detail).toBe('The server failed unexpectedly.')
    expect(JSON.stringify(answer.body) + JSON.stringify([...answer.headers])).not.toContain('hunter2')
    const line = world.logged.slice(from).find(text => text.includes('hunter2'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 50, requestId: answer.body.requestId })
  })

  test('any other thrown value is a 500: a non-error, a code of a library, an own status', async () => {
    for (const thrown of [
      'a string',
      { code: 'NOT_FOUND', status: 404 },
      Object.assign(new Error('secret'), { code: 'NOT_FOUND', status: 404 }),
      Object.assign(new Error('secret'), { code: 'VALIDATION', type: 'body' }),
      Object.assign(new Error('secret'), { code: 'ERR_JWT_EXPIRED' }),
      new Error('secret', { cause: new Error('secret') }),
    ]) {
      const answer = await onBrokenDatabase(world, readThatThrows(world, thrown)).get('/api/teams')
      expectProblem(answer, { status: 500, code: 'internal_error' })
      expect(JSON.stringify(answer.body)).not.toContain('secret')
    }
  })

  test('the log of a failed query names no value that the query carried', async () => {
    const driver = Object.assign(new Error('no such column: x'), { detail: 'Key (handle)=(ada)' })
    const failed = new Error('Failed query: select 1\nparams: ada@example.com', { cause: driver })
    const from = world.logged.length
    await onBrokenDatabase(world, readThatThrows(world, failed)).get('/api/teams')
    const lines = world.logged.slice(from).join('')
    expect(lines).toContain('no such column: x')
    expect(lines).not.toMatch(/ada@example\.com|\(ada\)/)
  })

  const FAULTS: [DatabaseFault, number, string][] = [
    ['busy', 503, 'database_busy'],
    ['unreachable', 503, 'database_unavailable'],
    ['untrusted', 503, 'database_unavailable'],
    ['read_only', 503, 'database_unavailable'],
    ['corrupt', 503, 'database_unavailable'],
    ['full', 507, 'storage_full'],
  ]
  for (const [fault, status, code] of FAULTS) {
    test(`a database that is ${fault} on a write is ${status} ${code}`, async () => {
      const client = onBrokenDatabase(world, {
        write: () => Promise.reject(new DatabaseError(fault, new Error('secret'))),
      })
      const { token } = await world.fan()
      const answer = await client.post('/api/user/profile', {}, { authorization: `Bearer ${token}` })
      expectProblem(answer, { status, code })
      expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
      expect(JSON.stringify(answer.body)).not.toContain('secret')
    })
  }

  test('an error of the driver on a read is reported as on a write', async () => {
    for (const [driverCode, status, code] of [
      ['SQLITE_BUSY', 503, 'database_busy'],
      ['SQLITE_IOERR', 503, 'database_unavailable'],
      ['ERR_POSTGRES_CONNECTION_CLOSED', 503, 'database_unavailable'],
    ] as const) {
      const driver = Object.assign(new Error('secret'), { code: driverCode })
      const failed = new Error('Failed query', { cause: driver })
      const answer = await onBrokenDatabase(world, readThatThrows(world, failed)).get('/api/teams')
      expectProblem(answer, { status, code })
      expect(answer.headers.get('retry-after')).toBe('1')
    }
  })
})

onEngine(sqliteEngine, 'readiness', world => {
  test('healthz and readyz answer 200 while all is well, and are open to everyone', async () => {
    expect(await world.anonymous.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
    const checks = { database: 'ok', identityProvider: 'ok' }
    const ready = await world.anonymous.get('/readyz')
    expect(ready).toMatchObject({ status: 200, body: { status: 'ready', checks } })
  })

  test('readyz is 503 and says which part when the database cannot be read; healthz stays 200', async () => {
    const ping = () => Promise.reject(new DatabaseError('unreachable', new Error('secret')))
    const client = onBrokenDatabase(world, { ping })
    const { status, body, headers } = await client.get('/readyz')
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(body).toEqual({
      status: 'not_ready',
      checks: { database: 'database unreachable', identityProvider: 'ok' },
    })
    expect((await client.get('/healthz')).status).toBe(200)
  })

  test('readyz does not show unexpected messages of the database', async () => {
    const client = onBrokenDatabase(world, { ping: () => Promise.reject(new Error('secret')) })
    const { status, body } = await client.get('/readyz')
    expect([status, body.checks.database]).toEqual([503, 'database cannot be read'])
  })
})
