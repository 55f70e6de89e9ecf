/** Requests that two readers could read as two different things, and others that no client would send, byte by byte. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { rawRequest, requestLines } from './raw-request.ts'

const SMUGGLED = 'GET /api/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n'
const CHUNKED = '5\r\nhello\r\n0\r\n\r\n'
const post = (...headers: string[]) =>
  `${['POST /api/rewards/claim HTTP/1.1', 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`
const get = (...headers: string[]) => `${['GET /healthz HTTP/1.1', ...headers].join('\r\n')}\r\n\r\n`

/** Refused by Bun before the application hears of them, without a body, and the connection is closed. */
const REFUSED: Record<string, [status: number, request: string]> = {
  'Content-Length with Transfer-Encoding': [
    400,
    `${post('Content-Length: 6', 'Transfer-Encoding: chunked')}0\r\n\r\n${SMUGGLED}`,
  ],
  'Transfer-Encoding with Content-Length': [
    400,
    `${post('Transfer-Encoding: chunked', 'Content-Length: 6')}0\r\n\r\n${SMUGGLED}`,
  ],
  'two lengths that differ': [400, post('Content-Length: 0', 'Content-Length: 50') + SMUGGLED],
  'a list of lengths': [400, `${post('Content-Length: 5, 5')}hello`],
  'a signed length': [400, `${post('Content-Length: +5')}hello`],
  'a negative length': [400, `${post('Content-Length: -5')}hello`],
  'a hexadecimal length': [400, `${post('Content-Length: 0x5')}hello`],
  'a length past every number': [400, `${post('Content-Length: 99999999999999999999')}hello`],
  'an empty length': [400, `${post('Content-Length: ')}hello`],
  'an unsupported transfer coding': [400, post('Transfer-Encoding: gzip, chunked') + CHUNKED],
  'a coding that resembles chunked': [400, post('Transfer-Encoding: xchunked') + CHUNKED],
  'chunked that is not the last coding': [400, post('Transfer-Encoding: chunked, identity') + CHUNKED],
  'two codings in two headers': [
    400,
    post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + CHUNKED,
  ],
  'chunked in HTTP/1.0': [400, post('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0') + CHUNKED],
  'a folded header': [400, get('Host: localhost', 'X-A: a', ' b')],
  'a folded coding': [400, post('Transfer-Encoding:', ' chunked') + CHUNKED],
  'a space before the colon': [400, `${post('Content-Length : 5')}hello`],
  'a space before the first header': [400, get(' X-A: a', 'Host: localhost')],
  'a bare line feed between headers': [400, get('Host: localhost', 'X-A: a\nX-B: b')],
  'bare line feeds throughout': [505, 'GET /healthz HTTP/1.1\nHost: localhost\n\n'],
  'a bare carriage return': [400, get('Host: localhost', 'X-A: a\rX-B: b')],
  'a NUL in a header': [400, get('Host: localhost', 'X-A: a\0b')],
  'no host': [400, get()],
  'a version that is not ours': [505, get('Host: localhost').replace('HTTP/1.1', 'HTTP/1.2')],
  'a TLS greeting': [400, '\x16\x03\x01\x00\xa5 hello\r\n\r\n'],
  'a head of 20 KiB': [431, get('Host: localhost', `X-A: ${'a'.repeat(20_480)}`)],
  'a URL of 20 KiB': [431, get('Host: localhost').replace('/healthz', `/${'a'.repeat(20_480)}`)],
  'three hundred headers': [
    431,
    get('Host: localhost', ...Array.from({ length: 300 }, (_, n) => `X-${n}: a`)),
  ],
}

/** Their head is sound, so the application has begun; Bun ends the connection at the fault, and it gets no body. */
const BAD_CHUNKS: Record<string, string> = {
  'ended by bare line feeds': '5\nhello\n0\n\n',
  'with a bare line feed in an extension': '5;a\nhello\r\n0\r\n\r\n',
  'of a size with a prefix': '0x5\r\nhello\r\n0\r\n\r\n',
  'of a negative size': '-5\r\nhello\r\n0\r\n\r\n',
  'of a size past every number': 'fffffffffffffffff\r\nhello\r\n0\r\n\r\n',
  'of a size with a space after it': '5 \r\nhello\r\n0\r\n\r\n',
  'longer than they say': '5\r\nhelloXX0\r\n\r\n',
}

onEngine(sqliteEngine, 'on the wire', world => {
  let port = 0
  beforeAll(() => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    port = world.app.server?.port ?? 0
  })
  afterAll(() => world.app.server?.stop(true))

  const heard = () => world.logged.length
  const answersIn = (text: string) => text.split('HTTP/1.1 ').length - 1

  describe('is refused before it reaches the application:', () => {
    for (const [name, [status, request]] of Object.entries(REFUSED)) {
      test(name, async () => {
        const before = heard()
        const answer = await rawRequest(port, request)
        expect(answer).toStartWith(`HTTP/1.1 ${status} `)
        expect([answersIn(answer), heard()]).toEqual([1, before])
      })
    }
  })

  describe('ambiguous chunks end the connection:', () => {
    const cases = Object.entries(BAD_CHUNKS)
    test.each(cases)('%s, whose body is read', async (_, chunks) => {
      const { token } = await world.fan()
      const before = heard()
      const head = post(
        'Transfer-Encoding: chunked',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
      )
      const answer = await rawRequest(port, head + chunks + SMUGGLED)
      expect(answer).toStartWith('HTTP/1.1 400 ')
      expect(answersIn(answer)).toBe(1)
      // Its log line must not count as that of a later test.
      await waitUntil('the request is logged', async () => heard() > before)
      expect(world.logged.join('')).not.toContain('smuggled')
    })

    test.each(cases)('%s, of an anonymous caller, whose body is not read', async (_, chunks) => {
      const before = heard()
      const answer = await rawRequest(port, post('Transfer-Encoding: chunked') + chunks + SMUGGLED)
      const statuses = [...answer.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => status)
      // Answered before the fault arrives; Bun answers the fault, and closes the connection.
      expect(statuses).toEqual(['401', '400'])
      await waitUntil('the request is logged', async () => heard() > before)
      expect(world.logged.join('')).not.toContain('smuggled')
    })
  })

  test('two Host headers, and one that names no host, are 400 malformed_request', async () => {
    for (const hosts of [['Host: localhost', 'Host: evil.example'], ['Host: a/b@c']]) {
      const answer = await rawRequest(port, get(...hosts, 'Connection: close'))
      expect(answer).toStartWith('HTTP/1.1 400 ')
      expect(answer).toContain('"code":"malformed_request"')
      expect(answer).toMatch(/x-request-id: /i)
    }
  })

  test('an HTTP/1.0 probe without a Host header is served, with any query, and other paths are 400', async () => {
    const send = (line: string) => rawRequest(port, `${line} HTTP/1.0\r\n\r\n`)
    const queries = ['', '?', '?a=/b/c&a=2', '?from=http://lb.example/x', '?%ff%00%', '?a[]={}&=&&']
    for (const path of ['/healthz', '/readyz'].flatMap(probe => queries.map(query => probe + query))) {
      const answer = await send(`GET ${path}`)
      expect([path, answer.split(' ')[1]]).toEqual([path, '200'])
      expect(answer).toMatch(/"status":"(ok|ready)"/)
      expect(await send(`HEAD ${path}`)).toStartWith('HTTP/1.1 200 ')
    }
    const other = await send('GET /api/teams')
    expect(other).toStartWith('HTTP/1.1 400 ')
    expect(other).toContain('"code":"malformed_request"')
    expect(await send('POST /healthz')).toStartWith('HTTP/1.1 405 ')
  })

  test('TRACE returns nothing of the request, and CONNECT opens no connection', async () => {
    const trace = await rawRequest(port, requestLines('TRACE /healthz', 'X-Secret: hunter2'))
    expect(trace).toStartWith('HTTP/1.1 405 ')
    expect(trace).not.toContain('hunter2')
    const connect = await rawRequest(port, requestLines('CONNECT evil.example:80'))
    expect(connect).toStartWith('HTTP/1.1 400 ')
  })

  test('a request with the absolute URL of another site is handled as a request to this one', async () => {
    const answer = await rawRequest(port, requestLines('GET http://evil.example/healthz'))
    expect(answer).toStartWith('HTTP/1.1 200 ')
    expect(answer).not.toContain('evil')
  })

  test('sound chunks are read whole, extensions ignored, and two equal lengths count as one', async () => {
    const { token } = await world.fan()
    const head = [
      'PATCH /api/user/profile HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
    ]
    await world.withToken(token).post('/api/user/profile', {})
    for (const [headers, body] of [
      [['Transfer-Encoding: chunked'], '8;a=b\r\n{"bio":"\r\n5\r\nhi"} \r\n0\r\n\r\n'],
      [['Content-Length: 12', 'Content-Length: 12'], '{"bio":"hi"}'],
    ] as const) {
      const answer = await rawRequest(port, `${[...head, ...headers].join('\r\n')}\r\n\r\n${body}`)
      expect(answer).toStartWith('HTTP/1.1 200 ')
      expect(answer).toContain('"bio":"hi"')
    }
  })

  test('a request head that does not end times out, whether bytes arrive slowly or not at all', async () => {
    async function neverEnd(drips: boolean): Promise<string> {
      const chunks: Uint8Array[] = []
      let closed = false
      const socket = await Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          data: (_, chunk) => void chunks.push(Uint8Array.from(chunk)),
          close: () => {
            closed = true
          },
        },
      })
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ')
      // Bun waits for some twelve seconds.
      await waitUntil('the connection is closed', () => {
        if (drips) socket.write('a')
        return closed
      })
      return Buffer.concat(chunks).toString()
    }
    const before = heard()
    expect(await Promise.all([neverEnd(true), neverEnd(false)])).toEqual(['', ''])
    expect(heard()).toBe(before)
  })

  test('a request pipelined after a write loses both responses, but the write is committed', async () => {
    const fan = await world.fan()
    const rewardId = await world.reward({ pointsRequired: 0 })
    const body = JSON.stringify({ rewardId })
    const head = [
      `Authorization: Bearer ${fan.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    const before = heard()
    const answer = await rawRequest(port, post(...head) + body + get('Host: localhost', 'Connection: close'))
    expect(
      answer,
      'Bun now answers pipelined requests: expect both answers in their order here, and take the limitation out of docs/security.md',
    ).toBe('')
    await waitUntil('the claim is committed', async () => {
      const { rewards } = (await fan.get('/api/rewards')).body
      return rewards.some(({ id, state }: Record<string, string>) => id === rewardId && state === 'claimed')
    })
    // Its log line must not count as that of a later test.
    await waitUntil('the claim is logged', async () =>
      world.logged.slice(before).some(line => line.includes('/api/rewards/claim')),
    )
  })

  test('trailers are not read: what follows the last chunk ends the connection', async () => {
    const before = heard()
    const answer = await rawRequest(
      port,
      `${post('Transfer-Encoding: chunked')}0\r\nX-Trailer: 1\r\n\r\n${SMUGGLED}`,
    )
    expect(answer).toContain('HTTP/1.1 400 ')
    await waitUntil('the request is logged', () => heard() > before)
    expect(world.logged.join('')).not.toContain('smuggled')
  })
})

onEngine(
  sqliteEngine,
  'a body that does not come',
  world => {
    beforeAll(() => void world.app.listen({ hostname: '127.0.0.1', port: 0 }))
    afterAll(() => world.app.server?.stop(true))

    test('is 408 request_timeout, and the connection is closed', async () => {
      const head = requestLines(
        'POST /api/user/profile',
        `Authorization: Bearer ${(await world.fan()).token}`,
        'Content-Type: application/json',
        'Content-Length: 99',
      )
      const answer = await rawRequest(world.app.server?.port ?? 0, head, '{"bio":')
      expect(answer).toStartWith('HTTP/1.1 408 ')
      expect(answer).toContain('"code":"request_timeout"')
    })
  },
  { configure: config => ({ ...config, network: { ...config.network, bodyTimeoutMs: 20 } }) },
)
