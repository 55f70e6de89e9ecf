/** Public topics: the ETag of the cached response, sent at most once a second. And the refusals of a request for a stream. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { matchesTag } from '../../src/cache/tags.ts'
import { addPack, FREE, patientFan, start } from '../packs/packs-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Fan, onEachEngine, onEngine } from '../support/world.ts'
import { bearer, closeStreams, openStream } from './stream-world.ts'

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
  ])('%s begins with the ETag of its GET, without an id and without reset', async (_, prepare) => {
    const [topic, path] = await prepare()
    const stream = await open(topic)
    expect(await stream.nth(1)).toEqual({
      event: decodeURIComponent(topic),
      data: { etag: await etagOf(path) },
    })
  })

  test('a purchase tells the stream of its pack, and a claimed rank that of the leaderboard', async () => {
    const packId = await addPack(world, { price: FREE, supply: 5 })
    const stream = await open(`leaderboard,pack:${packId}`)
    await stream.nth(2)
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
    await stream.nth(1)
    const started = performance.now()
    for (let n = 1; n <= 25; n++) {
      await change(id, { venue: `Stand ${n}` })
      await Bun.sleep(20)
    }
    const etag = await etagOf(`/api/matches/${id}`)
    await waitUntil('the last change was sent', () => stream.received.at(-1)?.data.etag === etag)
    const seconds = (performance.now() - started) / 1_000
    expect(stream.received.length - 1).toBeLessThanOrEqual(Math.floor(seconds) + 1)
  })

  test('a match that is withdrawn has no ETag', async () => {
    const id = await world.match()
    const stream = await open(`match:${id}`)
    await stream.nth(1)
    await change(id, { active: false })
    expect((await stream.nth(2)).data).toEqual({ etag: null })
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

    test('an anonymous caller, before the query is read', async () => {
      const { status, body } = await world.anonymous.get('/api/stream')
      expect([status, body.code]).toEqual([401, 'unauthenticated'])
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

    test('a process has at most as many streams as configured', async () => {
      const fans = await Promise.all(Array.from({ length: 4 }, () => world.fan()))
      for (const fan of fans.slice(0, 3)) expect((await open(fan)).status).toBe(200)
      expect(await refusal(fans[3] as Fan)).toEqual(REFUSED)
    })
  },
  { env: { MAX_STREAMS: '3', MAX_STREAMS_PER_FAN: '2' } },
)
