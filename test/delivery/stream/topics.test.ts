/** Public topics: the ETag of the cached response, sent at most once a second. And the refusals of a request for a stream. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { matchesTag } from '../../../src/platform/cache/tags.ts'
import { addPack, FREE, patientFan, start } from '../../play/packs/packs-world.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine, onEngine } from '../../support/world.ts'
import { bearer, closeStreams, type OpenStream, openStream } from './stream-world.ts'

onEachEngine('Public topics of streams', world => {
  let origin: string
  let fan: Fan

  beforeAll(async () => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
    fan = await patientFan(world)
  })
  afterEach(async () => {
    closeStreams()
    await waitUntil('the server noticed', () => world.deps.streams.size === 0)
  })

  const open = (topics: string) => openStream(origin, `topics=${topics}`, bearer(fan.token))
  const etagOf = async (path: string) => (await world.anonymous.get(path)).headers.get('etag')

  async function change(matchId: string, to: { venue?: string; active?: boolean }) {
    const { matches } = world.db.tables
    await world.db.write(async tx => {
      await tx.update(matches).set(to).where(eq(matches.id, matchId))
      tx.invalidate(matchesTag)
    })
  }

  test.each([
    ['the leaderboard', async () => ['leaderboard', '/api/leaderboard'] as const],
    [
      'the board of predictions',
      async () => ['leaderboard:predictions', '/api/leaderboard?kind=predictions'] as const,
    ],
    [
      'the board of a season',
      async () => {
        await world.match({ season: '2026/27: I' })
        const season = encodeURIComponent('2026/27: I')
        return [
          `leaderboard:predictions:${season}`,
          `/api/leaderboard?kind=predictions&season=${season}`,
        ] as const
      },
    ],
    [
      'a pack',
      async () => {
        const id = await addPack(world)
        return [`pack:${id}`, `/api/packs/${id}`] as const
      },
    ],
    [
      'a match',
      async () => {
        const id = await world.match()
        return [`match:${id}`, `/api/matches/${id}`] as const
      },
    ],
  ])('%s begins with reset and the ETag of its GET, with a token and without', async (_, prepare) => {
    const [topic, path] = await prepare()
    for (const stream of [await open(topic), await openStream(origin, `topics=${topic}`)]) {
      expect(await stream.nth(1)).toEqual({ event: 'reset', data: {} })
      expect(await stream.nth(2)).toMatchObject({
        event: decodeURIComponent(topic),
        data: { etag: await etagOf(path) },
      })
      expect(stream.received.some(({ id }) => id !== undefined)).toBe(false)
    }
  })

  test('a goal is in the frame of its match', async () => {
    const matchId = await world.match()
    const stream = await openStream(origin, `topics=match:${matchId}`)
    const before = { status: 'scheduled', homeScore: null, awayScore: null }
    expect((await stream.nth(2)).data).toEqual({ etag: await etagOf(`/api/matches/${matchId}`), ...before })
    const score = { status: 'live', homeScore: 1, awayScore: 0 }
    const key = world.withToken(await world.serverKey(['matches:write']))
    const { body: match } = await world.anonymous.get(`/api/matches/${matchId}`)
    const { status } = await key.put(`/api/matches/${matchId}`, {
      revision: 2,
      kickoffAt: match.kickoffAt,
      ...score,
    })
    expect(status).toBe(200)
    expect((await stream.nth(3)).data).toEqual({ etag: await etagOf(`/api/matches/${matchId}`), ...score })
  })

  test('frames of public topics carry the id of the last event, also on a stream that resumes', async () => {
    const own = await patientFan(world, 5)
    const stream = await openStream(origin, 'topics=me,leaderboard', bearer(own.token))
    await stream.nth(2)
    const [reset, board] = stream.received
    expect([reset?.event, board?.event]).toEqual(['reset', 'leaderboard'])
    expect(board?.id).toBe(reset?.id ?? 'none')
    expect(Number(board?.id)).toBeGreaterThan(0)
    const resumed = await openStream(
      origin,
      `topics=me,leaderboard&lastEventId=${board?.id}`,
      bearer(own.token),
    )
    expect(await resumed.nth(1)).toMatchObject({ event: 'leaderboard', id: board?.id })
    expect(resumed.named('reset')).toEqual([])
  })

  test('a purchase is sent to the topic of its pack, and a changed rank to the leaderboard', async () => {
    const packId = await addPack(world, { price: FREE, supply: 5 })
    const stream = await open(`leaderboard,pack:${packId}`)
    await stream.nth(3)
    await start(fan, packId)
    await waitUntil('the pack changed', () => stream.named(`pack:${packId}`).length === 2)
    expect(stream.named(`pack:${packId}`)[1]?.data.etag).toBe(await etagOf(`/api/packs/${packId}`))
    const other = await world.fan()
    await other.post('/api/user/onboarding')
    await waitUntil('the leaderboard changed', () => stream.named('leaderboard').length === 2)
    expect(stream.named('leaderboard')[1]?.data.etag).toBe(await etagOf('/api/leaderboard'))
  })

  test('many changes are sent at most once a second, and the last one is sent', async () => {
    const id = await world.match()
    const stream = await open(`match:${id}`)
    await stream.nth(2)
    const started = performance.now()
    let changes = 0
    while (stream.received.length < 4 || changes < 25) await change(id, { venue: `Stand ${++changes}` })
    const etag = await etagOf(`/api/matches/${id}`)
    await waitUntil('the last change was sent', () => stream.received.at(-1)?.data.etag === etag)
    const seconds = (performance.now() - started) / 1_000
    expect(stream.received.length - 2).toBeLessThanOrEqual(Math.floor(seconds) + 1)
  })

  test('a match that is withdrawn has no ETag', async () => {
    const id = await world.match()
    const stream = await open(`match:${id}`)
    await stream.nth(2)
    await change(id, { active: false })
    expect((await stream.nth(3)).data).toEqual({ etag: null })
  })

  test('a topic that is named twice is sent once', async () => {
    const stream = await open('leaderboard,leaderboard,me')
    await stream.nth(2)
    expect(stream.received.map(({ event }) => event).sort()).toEqual(['leaderboard', 'reset'])
  })

  describe('refusals', () => {
    test.each([
      ['a pack that does not exist', 'topics=pack:no-such', 404, 'pack_not_found'],
      ['a match that does not exist', 'topics=me,match:no-such', 404, 'match_not_found'],
      ['a season without matches', 'topics=leaderboard:predictions:1900', 404, 'match_not_found'],
      ['a season of no characters', 'topics=leaderboard:predictions:', 422, 'validation_failed'],
      ['a season with a line feed', 'topics=leaderboard:predictions:1%0A2', 422, 'validation_failed'],
      ['no topics', '', 422, 'validation_failed'],
      ['empty topics', 'topics=', 422, 'validation_failed'],
      ['an unknown topic', 'topics=me,points', 422, 'validation_failed'],
      ['an empty topic', 'topics=me,', 422, 'validation_failed'],
      ['a topic without its id', 'topics=pack:', 422, 'validation_failed'],
      [
        'more than 20 topics',
        `topics=${Array.from({ length: 21 }, (_, n) => `pack:${n}`)}`,
        422,
        'validation_failed',
      ],
      ['an id that is none, in the query', 'topics=me&lastEventId=x', 422, 'validation_failed'],
      ['an unknown parameter', 'topics=me&since=1', 422, 'validation_failed'],
    ])('%s', async (_, query, status, code) => {
      const answer = await fan.get(`/api/stream?${query}`)
      expect([answer.status, answer.body?.code]).toEqual([status, code])
      expect(world.deps.streams.size).toBe(0)
    })

    test('the events of a caller without a token, or with a token that is not valid', async () => {
      for (const topics of ['me', 'leaderboard,me']) {
        const { status, body } = await world.anonymous.get(`/api/stream?topics=${topics}`)
        expect([topics, status, body.code]).toEqual([topics, 401, 'unauthenticated'])
      }
      const { status, body } = await world.withToken('none').get('/api/stream?topics=leaderboard')
      expect([status, body.code]).toEqual([401, 'invalid_token'])
    })
  })

  test('HEAD opens no stream', async () => {
    const init = { method: 'HEAD', headers: bearer(fan.token) }
    const { status, headers } = await fetch(`${origin}/api/stream?topics=me`, init)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(world.deps.streams.size).toBe(0)
  })
})

onEngine(
  sqliteEngine,
  'Limits of streams',
  world => {
    let origin: string
    beforeAll(() => {
      world.app.listen({ hostname: '127.0.0.1', port: 0 })
      origin = `http://127.0.0.1:${world.app.server?.port}`
    })
    afterEach(async () => {
      closeStreams()
      await waitUntil('the server noticed', () => world.deps.streams.size === 0)
    })
    const open = (fan: Fan) => openStream(origin, 'topics=me', bearer(fan.token))
    const refusal = async (fan: Fan) => {
      const { status, body, headers } = await fan.get('/api/stream?topics=me')
      return [status, body?.code, headers.get('retry-after')]
    }
    const REFUSED = [429, 'too_many_streams', '15']

    test('a fan has at most as many streams as configured, and a closed one makes room', async () => {
      const [fan, other] = [await world.fan(), await world.fan()]
      const [first] = await Promise.all([open(fan), open(fan)])
      expect(await refusal(fan)).toEqual(REFUSED)
      expect((await open(other)).status).toBe(200)
      first?.close()
      await waitUntil('the server noticed', () => world.deps.streams.size === 2)
      expect((await open(fan)).status).toBe(200)
    })

    test('streams without a token never take the place of a fan: the oldest one of the address with the most streams is closed', async () => {
      const from = (address: string) =>
        openStream(origin, 'topics=leaderboard', { 'x-forwarded-for': address })
      const streams: OpenStream[] = []
      const isOpen = () => streams.map(stream => stream.isOpen())
      async function openFrom(address: string, ...expected: boolean[]) {
        const opened = await from(address)
        expect(opened.status).toBe(200)
        streams.push(opened)
        await waitUntil(
          'streams give way',
          () => isOpen().filter(Boolean).length === expected.filter(Boolean).length,
        )
        expect(isOpen()).toEqual(expected)
      }
      await openFrom('192.0.2.1', true)
      await openFrom('192.0.2.1', true, true)
      // Of its own address.
      await openFrom('192.0.2.1', false, true, true)
      await openFrom('192.0.2.2', false, true, true, true)
      // Closes streams of the address with the most streams: there are three in all.
      await openFrom('192.0.2.3', false, false, true, true, true)
      for (const { retries } of streams.slice(0, 2)) expect(retries.at(-1)).toBeGreaterThanOrEqual(15_000)
      const fans = await Promise.all(Array.from({ length: 3 }, () => world.fan()))
      for (const fan of fans) expect((await open(fan)).status).toBe(200)
      closeStreams()
      await waitUntil('the server noticed', () => world.deps.streams.size === 0)
      expect((await from('192.0.2.1')).status).toBe(200)
    })

    test('a process has at most as many streams as configured', async () => {
      const fans = await Promise.all(Array.from({ length: 4 }, () => world.fan()))
      for (const fan of fans.slice(0, 3)) expect((await open(fan)).status).toBe(200)
      expect(await refusal(fans[3] as Fan)).toEqual(REFUSED)
    })
  },
  {
    env: {
      MAX_STREAMS: '3',
      MAX_PUBLIC_STREAMS: '3',
      MAX_PUBLIC_STREAMS_PER_ADDRESS: '2',
      TRUSTED_PROXIES: '1',
    },
    configure: config => ({ ...config, limits: { ...config.limits, streamsPerFan: 2 } }),
  },
)
