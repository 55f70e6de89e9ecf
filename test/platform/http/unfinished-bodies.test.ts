/** Bodies that have not arrived as a whole: nobody waits for them before the caller is known, and they are counted apart. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { createUnfinishedBodies, STALLED_MS } from '../../../src/platform/http/edge/unfinished-bodies.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { type OpenRequest, openRequest } from './raw-request.ts'

const MEBIBYTE = 1_048_576
const env = { TRUSTED_PROXIES: '1', MAX_WRITE_WAIT_MS: '60000' }
const unfinishedBodies = {
  count: 300,
  countPerAddress: 200,
  bytes: 8 * MEBIBYTE,
  bytesPerAddress: 4 * MEBIBYTE,
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
      // Accepted bodies have been read by now.
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

    /** Answered requests are dropped, the oldest first. */
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

    test('the slowest bodies of one address are dropped, and complete bodies of its fans are never refused', async () => {
      const all = await beginInOrder(202, () => ({}))
      world.clock.advance(STALLED_MS)
      all.push(await begin())
      await expectDropped(all, 3)
      for (let n = 0; n < 20; n++) expect((await write('192.0.2.1')).status).toBe(200)
      // Each took a place for a moment.
      await expectDropped(all, 4)
    })

    test('the slowest bodies of all addresses are dropped, and share a line of the log', async () => {
      const all = await beginInOrder(300, n => ({ address: `192.0.2.${1 + (n % 3)}` }))
      world.clock.advance(STALLED_MS)
      all.push(...(await beginInOrder(5, n => ({ address: `192.0.2.${1 + (n % 3)}` }))))
      await expectDropped(all, 5)
      expect((await write()).status).toBe(200)
      const lines = () => world.logged.filter(line => line.includes('unfinished bodies dropped'))
      await waitUntil('the drops are logged', () => lines().length > 0)
      expect(JSON.parse(lines().at(-1) ?? '').dropped).toBeGreaterThanOrEqual(1)
    })

    test('operations without a caller have a quarter of the budget, and never drop a body of a fan', async () => {
      const path = '/api/auth/native-token/refresh'
      const ofFan = await begin({})
      const all = await beginInOrder(50, () => ({ path, credential: null }))
      world.clock.advance(STALLED_MS)
      all.push(...(await beginInOrder(10, () => ({ path, credential: null }))))
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

    test('bodies that are announced as large but do not arrive take no budget', async () => {
      const length = `Content-Length: ${6 * MEBIBYTE}`
      const path = '/api/uploads'
      const all = await beginInOrder(40, n => ({ path, length, address: `192.0.2.${1 + (n % 3)}` }))
      for (const address of ['192.0.2.1', '198.51.100.1'])
        for (let n = 0; n < 20; n++) expect((await write(address)).status).toBe(200)
      expect(all.map(request => request.answer()).filter(answer => !answer.includes(' 401 '))).toHaveLength(
        40,
      )
    })

    test('a client that disconnects before its body is complete is a refused request, not a failure of the server', async () => {
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
  {
    worldPer: 'suite',
    env,
    configure: config => ({ ...config, limits: { ...config.limits, unfinishedBodies } }),
  },
)

describe('The budget of unfinished bodies', () => {
  const budget = { count: 8, bytes: 800, countPerAddress: 4, bytesPerAddress: 400 }
  const post = () => new Request('http://localhost/', { method: 'POST' })
  const noLog = pino({ level: 'silent' })
  const ofFan = { address: 'a', caller: '', anyone: false, bytes: 1 }

  /** With a clock of its own. `begin` returns the request, and whether it was dropped. */
  function create(limits: Partial<typeof budget> = {}) {
    const clock = { ms: 0 }
    const unfinished = createUnfinishedBodies({ ...budget, ...limits }, noLog, () => clock.ms)
    function begin(options: Partial<typeof ofFan> = {}) {
      const request = post()
      unfinished.begin(request, { ...ofFan, ...options })
      let dropped = false
      unfinished.arrivalOf(request).onDropped(error => {
        dropped = error.code === 'request_timeout'
      })
      const note = (bytes: number) => unfinished.arrivalOf(request).note(bytes)
      return { request, note, isDropped: () => dropped }
    }
    const beginMany = (count: number, optionsOf: (n: number) => Partial<typeof ofFan> = () => ({})) =>
      Array.from({ length: count }, (_, n) => begin(optionsOf(n)))
    return { clock, unfinished, begin, beginMany }
  }
  const droppedOf = (all: { isDropped(): boolean }[]) =>
    all.flatMap(({ isDropped }, n) => (isDropped() ? [n] : []))

  test.each([
    ['bodies of an address', { count: 6, addresses: 1, bytes: 1 }, [0, 1]],
    ['bodies in all', { count: 10, addresses: 3, bytes: 1 }, [0, 1]],
    ['bytes of an address', { count: 4, addresses: 1, bytes: 150 }, [0, 1]],
    ['bytes in all', { count: 5, addresses: 8, bytes: 250 }, [0, 1]],
  ])(
    'drops those that have stalled for longest beyond the %s',
    (_, { count, addresses, bytes }, expected) => {
      const { clock, beginMany } = create()
      const optionsOf = (n: number) => ({ address: String(n % addresses), bytes })
      const all = beginMany(count - 2, optionsOf)
      clock.ms += STALLED_MS
      const later = [count - 2, count - 1].flatMap(n => beginMany(1, () => optionsOf(n)))
      expect(droppedOf([...all, ...later])).toEqual(expected)
    },
  )

  test.each([
    [256, 300],
    [64, 65_536],
  ])(
    '%d newer bodies of an address do not drop one that has just begun, of %d bytes each',
    (count, bytes) => {
      const { clock, begin, beginMany } = create({ count: 4_096, bytes: 67_108_864 })
      const fan = begin()
      clock.ms += STALLED_MS - 1
      beginMany(count, () => ({ bytes }))
      expect(fan.isDropped()).toBe(false)
      clock.ms += 1
      begin()
      expect(fan.isDropped()).toBe(true)
    },
  )

  test('a body of the minimum rate is not dropped before those that have stalled, however old it is', () => {
    const { clock, begin, beginMany } = create({
      count: 1_000,
      bytes: 67_108_864,
      bytesPerAddress: 67_108_864,
    })
    const upload = begin({ bytes: 0 })
    const drips = begin({ bytes: 0 })
    for (let second = 0; second < 30; second++) {
      beginMany(20)
      clock.ms += STALLED_MS
      upload.note(16_384)
      drips.note(1)
    }
    expect([upload.isDropped(), drips.isDropped()]).toEqual([false, true])
  })

  test('within an address the callers with the most bytes are dropped first, by the tokens in their headers', () => {
    const { clock, begin, beginMany } = create()
    const fan = begin({ caller: 'fan' })
    const crowd = beginMany(3, () => ({ caller: 'stranger' }))
    clock.ms += STALLED_MS
    const later = beginMany(2, () => ({ caller: 'other' }))
    expect([fan.isDropped(), ...droppedOf(crowd)]).toEqual([false, 0, 1])
    expect(droppedOf(later)).toEqual([])
  })

  test('if all have just begun and the total limit is exceeded, the address with the most bodies is dropped', () => {
    const { begin, beginMany } = create()
    const fan = begin({ address: 'b' })
    const crowd = beginMany(7)
    const late = begin({ address: 'c' })
    expect([fan.isDropped(), late.isDropped(), droppedOf(crowd)]).toEqual([false, false, [0]])
  })

  test('a place is released once, and a request without a place releases nothing', () => {
    const { clock, unfinished, begin, beginMany } = create()
    const all = beginMany(4, () => ({ bytes: 100 }))
    clock.ms += STALLED_MS
    unfinished.end(post())
    for (let repeat = 0; repeat < 2; repeat++) unfinished.end(all[0]?.request ?? post())
    begin({ bytes: 100 })
    expect(droppedOf(all)).toEqual([])
    begin({ bytes: 100 })
    expect(droppedOf(all)).toEqual([1])
  })

  test('a body that was dropped before it is read is rejected when it is read', async () => {
    const { clock, unfinished, begin, beginMany } = create({ countPerAddress: 1 })
    const request = post()
    unfinished.begin(request, ofFan)
    clock.ms += STALLED_MS
    beginMany(1)
    const heard = Promise.withResolvers<string>()
    unfinished.arrivalOf(request).onDropped(error => heard.resolve(error.code))
    await expect(heard.promise).resolves.toBe('request_timeout')
    expect(begin().isDropped()).toBe(false)
  })
})
