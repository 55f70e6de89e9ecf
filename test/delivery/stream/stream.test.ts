/** The stream of a fan's own events: order, resumption, `reset`, and the end of the token. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEventSource } from 'eventsource-client'
import { createApp } from '../../../src/app/app.ts'
import { createStreams } from '../../../src/delivery/stream/streams.ts'
import { listenOptions } from '../../../src/platform/http/edge/listen-options.ts'
import { deleted, deliver } from '../../identity/users/deliveries.ts'
import { userIdOf } from '../../play/packs/packs-world.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine, onEngine } from '../../support/world.ts'
import { happen } from '../webhooks/webhooks-world.ts'
import { bearer, closeStreams, type OpenStream, openStream } from './stream-world.ts'

const DAY = 86_400_000

onEachEngine('Streams of a fan', world => {
  let origin: string

  beforeAll(() => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
  })
  afterEach(async () => {
    closeStreams()
    await waitUntil('the server noticed', () => world.deps.streams.size === 0)
  })

  /** A fan with a user record. */
  async function fanWithRecord(): Promise<Fan & { userId: string }> {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Ada' })
    return { ...fan, userId: (await userIdOf(world, fan)) ?? '' }
  }

  const open = (fan: Pick<Fan, 'token'>, query = 'topics=me', headers: Record<string, string> = {}) =>
    openStream(origin, query, { ...bearer(fan.token), ...headers })

  const idsOf = ({ received }: OpenStream) => received.map(({ id }) => id)

  describe('order', () => {
    test('a stream begins with reset, and sends each event as webhooks do', async () => {
      const fan = await fanWithRecord()
      const stream = await open(fan)
      expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      expect(stream.headers.get('cache-control')).toBe('no-store')
      expect(await stream.nth(1)).toEqual({ id: '0', event: 'reset', data: {} })
      const recorded = await happen(world, fan.userId)
      expect(await stream.nth(2)).toEqual({
        id: '1',
        event: 'reward.claimed',
        data: {
          type: 'reward.claimed',
          timestamp: world.clock.now().toISOString(),
          data: {
            userId: fan.userId,
            sequence: 1,
            source: 'matchday',
            eventId: recorded?.event.eventId,
            rewardId: 'scarf',
          },
        },
      })
    })

    test('many events at once arrive in the order of their sequences, once each', async () => {
      const fan = await fanWithRecord()
      const stream = await open(fan)
      // The stream begins after the newest event of the moment at which it sends this.
      await stream.nth(1)
      await Promise.all(Array.from({ length: 120 }, () => happen(world, fan.userId)))
      await stream.nth(121)
      expect(idsOf(stream)).toEqual(Array.from({ length: 121 }, (_, n) => String(n)))
    })

    test('events of other fans are not sent', async () => {
      const [fan, other] = await Promise.all([fanWithRecord(), fanWithRecord()])
      const stream = await open(fan)
      await stream.nth(1)
      await happen(world, other.userId)
      await happen(world, fan.userId)
      expect((await stream.nth(2)).data.data.userId).toBe(fan.userId)
    })

    test('a unit of work that is rolled back sends nothing', async () => {
      const fan = await fanWithRecord()
      const stream = await open(fan)
      await stream.nth(1)
      const failed = world.db.write(async tx => {
        await happen({ db: { ...world.db, write: work => work(tx) } }, fan.userId)
        throw new Error('rolled back')
      })
      await expect(failed).rejects.toThrow('rolled back')
      await happen(world, fan.userId, { type: 'reward.redeemed' })
      expect(await stream.nth(2)).toMatchObject({ id: '1', event: 'reward.redeemed' })
    })

    test('a fan who has no user record yet gets the events of the record that is created', async () => {
      const fan = await world.fan()
      const stream = await open(fan)
      expect(await stream.nth(1)).toMatchObject({ id: '0', event: 'reset' })
      await fan.post('/api/user/onboarding')
      expect(await stream.nth(2)).toMatchObject({ id: '1', event: 'onboarding.completed' })
    })
  })

  describe('resumption', () => {
    async function fanWithEvents(count: number) {
      const fan = await fanWithRecord()
      for (let n = 0; n < count; n++) await happen(world, fan.userId)
      return fan
    }

    test.each([
      ['the header', 'topics=me', { 'last-event-id': '2' }],
      ['the query', 'topics=me&lastEventId=2', {}],
      ['the header, where both are sent', 'topics=me&lastEventId=4', { 'last-event-id': '2' }],
    ])('continues after the id in %s, without reset', async (_, query, headers) => {
      const stream = await open(await fanWithEvents(4), query, { ...headers })
      await stream.nth(2)
      expect(idsOf(stream)).toEqual(['3', '4'])
      expect(stream.named('reset')).toEqual([])
    })

    test('continues over several pages', async () => {
      const stream = await open(await fanWithEvents(130), 'topics=me', { 'last-event-id': '0' })
      await stream.nth(130)
      expect(idsOf(stream)).toEqual(Array.from({ length: 130 }, (_, n) => String(n + 1)))
    })

    test.each([
      ['is ahead of the fan', '4'],
      ['is no number', 'abc'],
      ['is negative', '-1'],
      ['is too long', '9'.repeat(40)],
    ])('begins with reset at the newest event if the id %s', async (_, id) => {
      const fan = await fanWithEvents(3)
      const stream = await open(fan, 'topics=me', { 'last-event-id': id })
      expect(await stream.nth(1)).toEqual({ id: '3', event: 'reset', data: {} })
      await happen(world, fan.userId)
      expect((await stream.nth(2)).id).toBe('4')
    })

    test('accepts an id if the missed events are at most 24 hours old, and otherwise resets', async () => {
      const fan = await fanWithEvents(2)
      world.clock.advance(DAY)
      const token = await world.idp.issueToken(fan.subject)
      const inTime = await open({ token }, 'topics=me', { 'last-event-id': '1' })
      expect(await inTime.nth(1)).toMatchObject({ id: '2', event: 'reward.claimed' })
      world.clock.advance(1)
      const late = await open({ token }, 'topics=me', { 'last-event-id': '1' })
      expect(await late.nth(1)).toMatchObject({ id: '2', event: 'reset' })
      const upToDate = await open({ token }, 'topics=me', { 'last-event-id': '2' })
      await happen(world, fan.userId)
      expect(await upToDate.nth(1)).toMatchObject({ id: '3', event: 'reward.claimed' })
    })

    test('eventsource-client gets every event once over a lost connection', async () => {
      const fan = await fanWithRecord()
      const ids: (string | undefined)[] = []
      let lost: AbortController | undefined
      const client = createEventSource({
        url: `${origin}/api/stream?topics=me`,
        headers: bearer(fan.token),
        fetch: (url, init) => {
          lost = new AbortController()
          return fetch(url, { ...init, signal: AbortSignal.any([init?.signal, lost.signal]) })
        },
        onMessage: ({ id }) => void ids.push(id),
      })
      await waitUntil('the reset arrived', () => ids.length === 1)
      await happen(world, fan.userId)
      await waitUntil('the first event arrived', () => ids.length === 2)
      // For an AbortError the client would not reconnect.
      lost?.abort(new TypeError('connection lost'))
      await waitUntil('the server noticed', () => world.deps.streams.size === 0)
      await happen(world, fan.userId)
      await waitUntil('the second event arrived', () => ids.length === 3)
      expect(ids).toEqual(['0', '1', '2'])
      client.close()
    })
  })

  test('the example for clients with a token asks for a valid one for each connection', async () => {
    const page = readFileSync(join(import.meta.dir, '../../../docs/stream.md'), 'utf8')
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
    const script = new Bun.Transpiler({ loader: 'ts' }).transformSync(
      example.replace(/^import .*$/m, '').replace('for await', 'window.stream = stream\nfor await'),
    )
    const fan = await fanWithRecord()
    const shown: string[] = []
    const tokens: string[] = []
    async function getToken() {
      const token = tokens.length === 0 ? fan.token : await world.idp.issueToken(fan.subject)
      tokens.push(token)
      return token
    }
    const page_: { stream?: { close(): void } } = {}
    const run = new Function(
      ...['createEventSource', 'API', 'getToken', 'console', 'window'],
      `return (async () => {${script}})()`,
    )
    const running = run(
      createEventSource,
      origin,
      getToken,
      { log: (event: string) => shown.push(event) },
      page_,
    )
    await waitUntil('the reset arrived', () => shown.includes('reset'))
    expect((await fan.post('/api/auth/logout')).status).toBe(204)
    await waitUntil('it asked for another token', () => tokens.length === 2)
    await happen(world, fan.userId)
    await waitUntil('the event arrived', () => shown.includes('reward.claimed'))
    page_.stream?.close()
    await running
  })

  describe('the end of the token', () => {
    const native = async (fan: Fan) =>
      (await fan.post('/api/auth/native-token')).body as { token: string; sessionId: string }

    test('a logout ends the stream of this session, and no other', async () => {
      const fan = await fanWithRecord()
      const [session, device] = [await open(fan), await open(await native(fan))]
      expect((await fan.post('/api/auth/logout')).status).toBe(204)
      await session.ended()
      await happen(world, fan.userId)
      expect((await device.nth(2)).event).toBe('reward.claimed')
      expect(device.isOpen()).toBe(true)
    })

    test('a device that is signed out from another loses its stream', async () => {
      const fan = await fanWithRecord()
      const { token, sessionId } = await native(fan)
      const stream = await open({ token })
      await fan.send(`/api/auth/sessions/${sessionId}`, { method: 'DELETE' })
      await stream.ended()
    })

    test('a logout everywhere ends every stream of the fan', async () => {
      const fan = await fanWithRecord()
      const other = await fanWithRecord()
      const streams = [await open(fan), await open(await native(fan)), await open(fan, 'topics=leaderboard')]
      const untouched = await open(other)
      await fan.post('/api/auth/logout', { everywhere: true })
      await Promise.all(streams.map(stream => stream.ended()))
      expect(untouched.isOpen()).toBe(true)
    })

    test.each(['session', 'native'])('a %s token that expires ends its stream', async kind => {
      const fan = await fanWithRecord()
      const token = kind === 'session' ? await world.idp.issueToken(fan.subject) : (await native(fan)).token
      const stream = await open({ token })
      await stream.nth(1)
      const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      world.clock.ms = exp * 1_000
      await stream.ended()
      // Within the tolerance for clocks other requests still succeed; a stream would end at once.
      expect((await open({ token })).status).toBe(401)
    })

    test('a fan that the provider deletes loses the stream', async () => {
      const fan = await fanWithRecord()
      const stream = await open(fan)
      await stream.nth(1)
      expect((await deliver(world, deleted(world, fan.subject))).status).toBe(204)
      await stream.ended()
    })

    test('a fan who deletes the account loses the stream', async () => {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding')
      const stream = await open(fan)
      await stream.nth(1)
      expect((await fan.send('/api/user', { method: 'DELETE' })).status).toBe(204)
      await stream.ended()
    })
  })
})

onEngine(sqliteEngine, 'Quiet streams', world => {
  afterEach(closeStreams)

  test('comments keep a stream open for longer than an idle connection', async () => {
    const streams = createStreams(world.deps, { commentEveryMs: 200 })
    const network = { ...world.config.network, keepAliveSeconds: 5 }
    const app = createApp({ ...world.deps, streams }).listen(
      listenOptions({ host: '127.0.0.1', port: 0, network }, { shared: false }),
    )
    const fan = await world.fan()
    const stream = await openStream(`http://127.0.0.1:${app.server?.port}`, 'topics=me', bearer(fan.token))
    // Bun counts in steps of four seconds: nine seconds of comments are longer than any idle connection.
    await waitUntil(
      '45 comments arrived, or the stream was cut',
      () => stream.comments() >= 45 || !stream.isOpen(),
    )
    expect(stream.isOpen()).toBe(true)
    streams.stop()
    await stream.ended()
    await app.server?.stop(true)
  })

  test('a process that is stopping ends a stream at once', async () => {
    const streams = createStreams(world.deps)
    streams.stop()
    const app = createApp({ ...world.deps, streams })
    const fan = await world.fan()
    const response = await app.handle(
      new Request('http://localhost/api/stream?topics=me', { headers: bearer(fan.token) }),
    )
    expect([response.status, await response.text(), streams.size]).toEqual([200, '', 0])
  })
})
