/** Bodies that have not arrived as a whole: nobody waits for them before the caller is known, and they are counted apart. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { createUnfinishedBodies } from '../../../src/platform/http/edge/unfinished-bodies.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { type OpenRequest, openRequest } from './raw-request.ts'

const MEBIBYTE = 1_048_576
const env = {
  TRUSTED_PROXIES: '1',
  MAX_WRITE_WAIT_MS: '60000',
  MAX_UNFINISHED_BODIES: '300',
  MAX_UNFINISHED_BODIES_PER_ADDRESS: '200',
  MAX_UNFINISHED_BODY_BYTES: String(8 * MEBIBYTE),
  MAX_UNFINISHED_BODY_BYTES_PER_ADDRESS: String(4 * MEBIBYTE),
}

onEngine(
  sqliteEngine,
  'Unfinished bodies',
  world => {
    let port = 0
    let token = ''
    let key = ''
    let open: OpenRequest[] = []

    beforeAll(async () => {
      world.app.listen({ hostname: '127.0.0.1', port: 0 })
      port = world.app.server?.port ?? 0
      const fan = await world.fan()
      token = fan.token
      expect((await fan.post('/api/user/profile', {})).status).toBe(201)
      key = await world.serverKey(['events:write'])
    })
    afterEach(async () => {
      for (const { close } of open) close()
      open = []
      await waitUntil('all requests have ended', () => world.app.server?.pendingRequests === 0)
    })
    afterAll(() => world.app.server?.stop(true))

    interface Unfinished {
      path?: string
      address?: string
      credential?: string | null
      length?: string
    }

    /** A request that announces a body and sends one byte of it. */
    async function begin({
      path = '/api/user/profile',
      address = '192.0.2.1',
      credential = token,
      length = 'Content-Length: 1000',
    }: Unfinished = {}): Promise<OpenRequest> {
      const head = [
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        `X-Forwarded-For: ${address}`,
        'Content-Type: application/json',
        ...(credential === null ? [] : [`Authorization: Bearer ${credential}`]),
        length,
      ]
      const first = length.startsWith('Transfer') ? '1\r\n{\r\n' : '{'
      const request = await openRequest(port, head.join('\r\n'), '\r\n\r\n', first)
      open.push(request)
      return request
    }

    /** A whole write, from another address. */
    async function write(address = '198.51.100.1') {
      const response = await fetch(`http://127.0.0.1:${port}/api/user/profile`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-forwarded-for': address,
        },
        body: '{"bio":"x"}',
      })
      return { status: response.status, body: await response.text() }
    }

    const statusOf = (request: OpenRequest) =>
      waitUntil('the server answers', () => /^HTTP\/1.1 (\d+)/.exec(request.answer())?.[1])

    /** Begins so many, of which so many are refused. Returns what these are answered. */
    async function beginMany(accepted: number, refused: number, options: Unfinished): Promise<string[]> {
      const count = accepted + refused
      const all = await Promise.all(Array.from({ length: count }, () => begin(options)))
      const answers = () => all.map(request => request.answer()).filter(answer => answer !== '')
      await waitUntil('the refused are answered', () => answers().length >= refused)
      // Those that are accepted have been read by now.
      await write()
      expect(answers()).toHaveLength(refused)
      return answers()
    }

    test.each([
      ['/api/events', null, '401', '"unauthenticated"'],
      ['/api/events', 'mdk_wrong', '401', '"invalid_server_key"'],
      ['/api/points/grants', null, '401', '"unauthenticated"'],
      ['/api/rewards/claim', null, '401', '"unauthenticated"'],
      ['/api/rewards/claim', 'wrong', '401', '"invalid_token"'],
      ['/api/webhooks/nothing', null, '404', '"not_found"'],
    ] as const)(
      '%s with the token %p is answered before its body arrives: %s',
      async (path, credential, status, code) => {
        const request = await begin({ path, credential })
        expect(await statusOf(request)).toBe(status)
        expect(request.answer()).toContain(`"code":${code}`)
      },
    )

    test('the signature of a webhook is checked before the body is parsed', async () => {
      for (const body of ['{', '{"a":1}', '[[[[']) {
        const headers = { 'content-type': 'application/json' }
        const answer = await world.anonymous.send('/api/webhooks/identity', { method: 'POST', body, headers })
        expect([body, answer.status, answer.body.code]).toEqual([body, 401, 'invalid_signature'])
      }
    })

    test('an unfinished body is no write in flight: others write', async () => {
      const { writeLoad } = world.db
      // 60 of these would take all the time that a write may wait.
      Object.assign(world.db, { writeLoad: () => ({ ...writeLoad(), msPerWrite: 1_000, oldestMs: 0 }) })
      try {
        await beginMany(180, 0, {})
        expect((await write()).status).toBe(200)
      } finally {
        Object.assign(world.db, { writeLoad })
      }
    })

    test('one address has a number of unfinished bodies, and gets its places back', async () => {
      for (const answer of await beginMany(200, 3, {})) {
        expect(answer).toStartWith('HTTP/1.1 429 ')
        expect(answer).toContain('"code":"rate_limited"')
        expect(answer.toLowerCase()).toContain('retry-after: 1')
      }
      expect((await write('192.0.2.1')).status).toBe(429)
      for (const { close } of open) close()
      await waitUntil('places are given back', async () => (await write('192.0.2.1')).status === 200)
    })

    test('all addresses share a number, and refusals share a line of the log', async () => {
      await beginMany(150, 0, { address: '192.0.2.1' })
      await beginMany(150, 0, { address: '192.0.2.2' })
      const late = await begin({ address: '192.0.2.3' })
      expect(await statusOf(late)).toBe('503')
      expect(late.answer()).toContain('"code":"overloaded"')
      expect((await write()).status).toBe(503)
      const lines = () => world.logged.filter(line => line.includes('too many unfinished bodies'))
      await waitUntil('the refusals are logged', () => lines().length > 0)
      expect(JSON.parse(lines().at(-1) ?? '').refused).toBeGreaterThanOrEqual(2)
    })

    test('operations without a caller have a quarter of their own, so that a fan of the same address writes', async () => {
      const path = '/api/auth/native-token/refresh'
      await beginMany(50, 10, { path, credential: null })
      expect((await write('192.0.2.1')).status).toBe(200)
    })

    test.each([
      ['of a known length', `Content-Length: ${MEBIBYTE}`],
      ['in chunks', 'Transfer-Encoding: chunked'],
    ])('one address has a number of unfinished bytes, %s', async (_, length) => {
      const refused = await beginMany(4, 2, { path: '/api/events', credential: key, length })
      expect(refused.every(answer => answer.startsWith('HTTP/1.1 429 '))).toBe(true)
    })

    test('a client that goes before its body is complete is a refused request, no failure of the server', async () => {
      const from = world.logged.length
      const path = '/api/auth/native-token/refresh'
      for (const length of ['Content-Length: 1000', 'Transfer-Encoding: chunked'])
        (await begin({ path, credential: null, length })).close()
      const lines = () => world.logged.slice(from).map(line => JSON.parse(line))
      const refused = () => lines().filter(line => line.path === path && line.status === 400)
      await waitUntil('both are logged', () => refused().length === 2)
      expect(lines().filter(({ level }) => level >= 50)).toEqual([])
    })

    test('a body that is announced too large is 413 before the caller is known', async () => {
      const request = await begin({ credential: null, length: 'Content-Length: 65537' })
      expect(await statusOf(request)).toBe('413')
    })
  },
  { worldPer: 'suite', env },
)

describe('The budget of unfinished bodies', () => {
  const budget = { count: 8, bytes: 800, countPerAddress: 4, bytesPerAddress: 400 }
  const post = () => new Request('http://localhost/', { method: 'POST' })
  const create = () => createUnfinishedBodies(budget, pino({ level: 'silent' }))
  const codeOf = (work: () => void) => {
    try {
      work()
      return null
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test.each([
    ['bodies of an address', { addresses: 1, bytes: 1 }, [4, 'rate_limited']],
    ['bodies in all', { addresses: 3, bytes: 1 }, [8, 'overloaded']],
    ['bytes of an address', { addresses: 1, bytes: 150 }, [2, 'rate_limited']],
    ['bytes in all', { addresses: 8, bytes: 250 }, [3, 'overloaded']],
  ] as const)('limits the %s', (_, { addresses, bytes }, [accepted, code]) => {
    const unfinished = create()
    let taken = 0
    const refusal = () =>
      codeOf(() => unfinished.begin(post(), { address: String(taken % addresses), anyone: false, bytes }))
    let last = refusal()
    while (last === null) {
      taken++
      last = refusal()
    }
    expect<unknown[]>([taken, last]).toEqual([accepted, code])
  })

  test('a place is given back once, and a request without one gives back nothing', () => {
    const unfinished = create()
    const begin = (request: Request) =>
      codeOf(() => unfinished.begin(request, { address: 'a', anyone: false, bytes: 100 }))
    const requests = [post(), post(), post(), post(), post()]
    expect(requests.map(begin)).toEqual([null, null, null, null, 'rate_limited'])
    const [first = post(), , , , refused = post()] = requests
    unfinished.end(refused)
    expect(begin(post())).toBe('rate_limited')
    unfinished.end(first)
    unfinished.end(first)
    expect([begin(post()), begin(post())]).toEqual([null, 'rate_limited'])
  })
})
