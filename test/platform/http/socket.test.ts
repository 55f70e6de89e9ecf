/** The same rules over a real socket, where Bun's server has a say of its own. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Client, createClient } from '../../support/client.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { rawRequest, requestLines } from './raw-request.ts'

onEngine(sqliteEngine, 'over a socket', world => {
  let port = 0
  let client: Client
  let token = ''

  beforeAll(async () => {
    world.app.listen({
      hostname: '127.0.0.1',
      port: 0,
      maxRequestBodySize: 4 * world.config.maxBodyBytes,
    })
    port = world.app.server?.port ?? 0
    client = createClient(fetch, () => null, undefined, `http://127.0.0.1:${port}`)
    const fan = await world.fan()
    token = fan.token
    expect((await fan.post('/api/user/profile', {})).status).toBe(201)
  })
  afterAll(() => world.app.server?.stop(true))

  const bearer = () => ({ authorization: `Bearer ${token}` })

  test('the caller is authenticated, and can write and read', async () => {
    const { token: unknown } = await world.fan()
    const headers = { authorization: `Bearer ${unknown}` }
    const written = await client.post('/api/user/profile', { bio: 'Ünïcode 🏟' }, headers)
    expect([written.status, written.body.bio]).toEqual([201, 'Ünïcode 🏟'])
    expect((await client.get('/api/user/profile', headers)).body.bio).toBe('Ünïcode 🏟')
  })

  test('404, 405 and 401 have the same problem documents as in process', async () => {
    const missing = await client.get('/nothing', { 'x-request-id': 'mine' })
    expect([missing.status, missing.body.code, missing.body.requestId]).toEqual([404, 'not_found', 'mine'])
    const wrong = await client.send('/api/rewards/claim', { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
    const anonymous = await client.get('/api/rewards')
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('HEAD answers with the headers of GET and no body, also where it is refused', async () => {
    for (const [path, status] of [
      ['/healthz', 200],
      ['/api/teams', 200],
      ['/api/rewards', 401],
      ['/nothing', 404],
      ['/api/rewards/claim', 405],
    ] as const) {
      const answer = await rawRequest(port, requestLines(`HEAD ${path}`))
      expect([path, answer.split(' ')[1]]).toEqual([path, String(status)])
      expect(answer.toLowerCase()).toContain('x-request-id: ')
      expect(answer.split('\r\n\r\n')[1]).toBe('')
    }
  })

  test('two Authorization headers are 401 invalid_token, whichever of them is valid', async () => {
    for (const headers of [
      [`Authorization: Bearer ${token}`, 'Authorization: Bearer x'],
      ['Authorization: Bearer x', `Authorization: Bearer ${token}`],
      [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`],
    ]) {
      const answer = await rawRequest(port, requestLines('GET /api/rewards', ...headers))
      expect(answer).toStartWith('HTTP/1.1 401 ')
      expect(answer).toContain('"code":"invalid_token"')
    }
  })

  test('two Idempotency-Key headers are 400, whether they differ or not, and nothing is written', async () => {
    const fan = await world.fan()
    const post = (...keys: string[]) =>
      rawRequest(
        port,
        requestLines(
          'POST /api/user/profile',
          `Authorization: Bearer ${fan.token}`,
          'Content-Type: application/json',
          'Content-Length: 2',
          ...keys.map(key => `Idempotency-Key: ${key}`),
        ),
        '{}',
      )
    for (const keys of [['one', 'other'], ['same', 'same'], ['one', ''], ['', 'other'], ['a, b']]) {
      const answer = await post(...keys)
      expect([keys, answer.split(' ')[1]]).toEqual([keys, '400'])
      expect(answer).toContain('"header":"Idempotency-Key"')
    }
    expect((await fan.get('/api/user/profile')).status).toBe(404)
    expect(await post('one')).toStartWith('HTTP/1.1 201 ')
  })

  test('a lower-case scheme works', async () => {
    expect((await client.get('/api/rewards', { authorization: `bearer ${token}` })).status).toBe(200)
  })

  test('a body beyond the limit is 413, with Content-Length or in chunks, and the server continues', async () => {
    const limit = world.config.maxBodyBytes
    const announced = await client.post('/api/user/profile', { bio: 'x'.repeat(limit) }, bearer())
    expect([announced.status, announced.body.code]).toEqual([413, 'payload_too_large'])
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let sent = 0; sent < 2 * limit; sent += 8192) controller.enqueue(new Uint8Array(8192).fill(0x20))
        controller.close()
      },
    })
    const headers = { ...bearer(), 'content-type': 'application/json' }
    const chunked = await client.send('/api/user/profile', { method: 'POST', body, headers })
    expect([chunked.status, chunked.body.code]).toEqual([413, 'payload_too_large'])
    expect((await client.get('/healthz')).status).toBe(200)
  })

  test('a body far beyond the limit is refused by the HTTP server with 413', async () => {
    const length = 64 * world.config.maxBodyBytes
    const head = ['Content-Type: application/json', `Content-Length: ${length}`]
    const answer = await rawRequest(port, requestLines('POST /api/user/profile', ...head))
    expect(answer).toStartWith('HTTP/1.1 413 ')
  })

  test('no body, an empty one and a malformed one are told apart', async () => {
    const send = (headers: Record<string, string>, body?: string) =>
      client.send('/api/user/profile', { method: 'POST', headers: { ...bearer(), ...headers }, body })
    expect((await send({})).status).toBe(200)
    const json = { 'content-type': 'application/json' }
    expect([
      (await send(json)).status,
      (await send(json, '')).status,
      (await send(json, '{')).status,
    ]).toEqual([400, 400, 400])
    expect((await send({ 'content-type': 'text/plain' }, '{}')).status).toBe(415)
    const untyped = requestLines(
      'POST /api/user/profile',
      `Authorization: Bearer ${token}`,
      'Content-Length: 2',
    )
    expect(await rawRequest(port, untyped, '{}')).toStartWith('HTTP/1.1 415 ')
  })

  test('invalid UTF-8 in a query and in a body is 400', async () => {
    expect((await client.get('/api/teams?%ff')).status).toBe(400)
    const head = ['Content-Type: application/json', `Authorization: Bearer ${token}`, 'Content-Length: 11']
    const body = Buffer.from('{"bio":"\xff"}', 'latin1')
    expect(body).toHaveLength(11)
    const answer = await rawRequest(port, requestLines('POST /api/user/profile', ...head), body)
    expect(answer).toStartWith('HTTP/1.1 400 ')
    expect(answer).toContain('"code":"malformed_request"')
  })

  test('a request id with a line break does not appear in the response', async () => {
    const answer = await rawRequest(port, requestLines('GET /healthz', 'X-Request-Id: a\tb'))
    expect(answer).toStartWith('HTTP/1.1 200 ')
    expect(answer).not.toContain('a\tb')
  })
})
