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
    let open: OpenRequest[] = []

    beforeAll(async () => {
      world.app.listen({ hostname: '127.0.0.1', port: 0 })
      port = world.app.server?.port ?? 0
      const fan = await world.fan()
      token = fan.token
      expect((await fan.post('/api/user/profile', {})).status).toBe(201)
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

    /** Those that are answered are dropped, the oldest first. */
    async function expectDropped(all: OpenRequest[], count: number) {
      const answers = () => all.map(request => request.answer())
      await waitUntil('the slowest are answered', () => answers().filter(Boolean).length >= count)
      expect(answers().slice(count).filter(Boolean)).toEqual([])
      for (const answer of answers().slice(0, count)) {
        expect(answer).toStartWith('HTTP/1.1 408 ')
        expect(answer).toContain('"code":"request_timeout"')
      }
    }

    /** One after the other: of two that begin at once either may be the older one. */
    async function beginInOrder(count: number, options: (n: number) => Unfinished): Promise<OpenRequest[]> {
      const all: OpenRequest[] = []
      for (let n = 0; n < count; n++) {
        const before = world.app.server?.pendingRequests ?? 0
        all.push(await begin(options(n)))
        if (n % 20 === 0)
          await waitUntil(
            'it has arrived',
            () => (world.app.server?.pendingRequests ?? 0) >= Math.min(before, 100),
          )
      }
      return all
    }

    test('of one address the slowest are dropped, and whole bodies of its fans are never refused', async () => {
      const all = await beginInOrder(203, () => ({}))
      await expectDropped(all, 3)
      for (let n = 0; n < 20; n++) expect((await write('192.0.2.1')).status).toBe(200)
      // Each took a place for a moment.
      await expectDropped(all, 4)
    })

    test('of all addresses the slowest are dropped, and they share a line of the log', async () => {
      const all = await beginInOrder(305, n => ({ address: `192.0.2.${1 + (n % 3)}` }))
      await expectDropped(all, 5)
      expect((await write()).status).toBe(200)
      const lines = () => world.logged.filter(line => line.includes('unfinished bodies dropped'))
      await waitUntil('the drops are logged', () => lines().length > 0)
      expect(JSON.parse(lines().at(-1) ?? '').dropped).toBeGreaterThanOrEqual(1)
    })

    test('operations without a caller have a quarter of their own: they drop no body of a fan', async () => {
      const path = '/api/auth/native-token/refresh'
      const ofFan = await begin({})
      const all = await beginInOrder(60, () => ({ path, credential: null }))
      await expectDropped(all, 10)
      expect(ofFan.answer()).toBe('')
      expect((await write('192.0.2.1')).status).toBe(200)
      const refresh = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' },
        body: '{"refreshToken":"of-nobody"}',
      })
      expect([refresh.status, await refresh.text()]).toEqual([
        401,
        expect.stringContaining('"code":"invalid_refresh_token"'),
      ])
    })

    test('bodies that are announced large and do not arrive hold nothing', async () => {
      const length = `Content-Length: ${6 * MEBIBYTE}`
      const path = '/api/uploads'
      const all = await beginInOrder(40, n => ({ path, length, address: `192.0.2.${1 + (n % 3)}` }))
      for (const address of ['192.0.2.1', '198.51.100.1'])
        for (let n = 0; n < 20; n++) expect((await write(address)).status).toBe(200)
      expect(all.map(request => request.answer()).filter(answer => !answer.includes(' 401 '))).toHaveLength(
        40,
      )
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
  const ended = (request: Request, unfinished: ReturnType<typeof create>) => {
    let dropped = false
    unfinished.arrivalOf(request).onDropped(error => {
      dropped = error.code === 'request_timeout'
    })
    return () => dropped
  }

  /** Begins so many at addresses in turn, and answers the indexes of those that were dropped. */
  function fill(count: number, addresses: number, bytes: number) {
    const unfinished = create()
    const all = Array.from({ length: count }, (_, n) => {
      const request = post()
      unfinished.begin(request, { address: String(n % addresses), anyone: false, bytes })
      return { request, isDropped: ended(request, unfinished) }
    })
    const dropped = () => all.flatMap(({ isDropped }, n) => (isDropped() ? [n] : []))
    return { unfinished, all, dropped }
  }

  test.each([
    ['bodies of an address', { count: 6, addresses: 1, bytes: 1 }, [0, 1]],
    ['bodies in all', { count: 10, addresses: 3, bytes: 1 }, [0, 1]],
    ['bytes of an address', { count: 4, addresses: 1, bytes: 150 }, [0, 1]],
    ['bytes in all', { count: 5, addresses: 8, bytes: 250 }, [0, 1]],
  ])('drops the slowest beyond the %s', (_, { count, addresses, bytes }, expected) => {
    expect(fill(count, addresses, bytes).dropped()).toEqual(expected)
  })

  test('a body that makes progress is not the slowest, and one that drips is', () => {
    const large = { count: 8, bytes: 1_000_000, countPerAddress: 2, bytesPerAddress: 1_000_000 }
    const unfinished = createUnfinishedBodies(large, pino({ level: 'silent' }))
    const [quick, drips, late] = [post(), post(), post()]
    for (const request of [quick, drips]) unfinished.begin(request, { address: 'a', anyone: false, bytes: 0 })
    const [isQuickDropped, isDripDropped] = [ended(quick, unfinished), ended(drips, unfinished)]
    unfinished.arrivalOf(quick).note(20_000)
    for (let n = 0; n < 10; n++) unfinished.arrivalOf(drips).note(1)
    unfinished.begin(late, { address: 'a', anyone: false, bytes: 0 })
    expect([isQuickDropped(), isDripDropped()]).toEqual([false, true])
  })

  test('a place is given back once, and a request without one gives back nothing', () => {
    const { unfinished, all, dropped } = fill(4, 1, 100)
    unfinished.end(post())
    for (let repeat = 0; repeat < 2; repeat++) unfinished.end(all[0]?.request ?? post())
    const begin = () => unfinished.begin(post(), { address: '0', anyone: false, bytes: 100 })
    begin()
    expect(dropped()).toEqual([])
    begin()
    expect(dropped()).toEqual([1])
  })

  test('a body that was dropped before it is read hears of it', () => {
    const { unfinished, all } = fill(5, 1, 1)
    expect(ended(all[0]?.request ?? post(), unfinished)()).toBe(true)
  })
})
