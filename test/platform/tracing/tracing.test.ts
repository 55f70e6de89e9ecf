/** The spans that a collector gets of requests, and what other systems and the log get of their traces. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { startReceiver } from '../../delivery/webhooks/receiver.ts'
import {
  addReceiver,
  dispatcherOf,
  distributeAll,
  drain,
  happen,
  newFan,
} from '../../delivery/webhooks/webhooks-world.ts'
import { startStripe } from '../../play/packs/stripe-server.ts'
import { checkOut } from '../../play/packs/stripe-world.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { nextTurn } from '../../support/wait-until.ts'
import { onEachEngine, onEngine, type World } from '../../support/world.ts'
import { type Span, startCollector } from './collector.ts'

const collector = startCollector()
afterAll(() => collector.stop())
beforeEach(() => void collector.spans.splice(0))

const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '5' }
const CLIENT_SPAN = '00f067aa0ba902b7'

const newTrace = () => crypto.randomUUID().replaceAll('-', '')
const traceparent = (traceId: string, flags = '01') => ({
  traceparent: `00-${traceId}-${CLIENT_SPAN}-${flags}`,
})
/** So that no verification of a test waits for the provider. */
const fetchKeys = ({ deps }: World) => deps.identity.refresh()
/** Each span as `PARENT > NAME`, in the order of names. */
function outline(spans: Span[]): string[] {
  const nameOf = (id: string | undefined) => spans.find(({ spanId }) => spanId === id)?.name ?? id
  return spans.map(({ name, parentSpanId }) => `${nameOf(parentSpanId)} > ${name}`).sort()
}
/** Members of a `traceparent` that was received. */
function partsOf(header: string | null | undefined) {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header ?? '') ?? []
  return { traceId, spanId, flags }
}
/** The `traceparent` headers that the provider gets while `act` runs. */
async function receivedByProvider({ idp }: World, act: () => Promise<unknown>): Promise<string[]> {
  const received: string[] = []
  const { handle } = idp
  idp.handle = request => {
    received.push(request.headers.get('traceparent') ?? 'none')
    return handle(request)
  }
  await act()
  idp.handle = handle
  return received
}

onEachEngine(
  'Traces',
  world => {
    beforeAll(() => fetchKeys(world))
    const counting = test.skipIf(countsAttempts !== '')

    counting(
      `a write has spans for its verification, its wait, its unit of work and its commit${countsAttempts}`,
      async () => {
        const fan = await world.fan()
        const traceId = newTrace()
        await fan.post('/api/user/profile', {}, traceparent(traceId))
        const spans = await collector.traceOf(traceId, 5)
        expect(outline(spans)).toEqual([
          `${CLIENT_SPAN} > writeProfile`,
          'unit of work > commit',
          'writeProfile > unit of work',
          'writeProfile > verify session token',
          'writeProfile > wait for unit of work',
        ])
        const system = world.db.engine === 'sqlite' ? 'sqlite' : 'postgresql'
        expect(spans.find(({ name }) => name === 'commit')?.attributes).toEqual({ 'db.system.name': system })
      },
    )

    counting(
      `concurrent requests, which share a commit on SQLite, have their own units of work${countsAttempts}`,
      async () => {
        const fans = await Promise.all(Array.from({ length: 12 }, () => world.fan()))
        const traces = await Promise.all(
          fans.map(async fan => {
            const traceId = newTrace()
            await fan.post('/api/user/profile', {}, traceparent(traceId))
            return outline(await collector.traceOf(traceId, 5))
          }),
        )
        expect(new Set(traces.map(trace => trace.join('\n'))).size).toBe(1)
        expect(traces[0]).toContain('writeProfile > unit of work')
      },
    )

    counting(
      `a unit of work that refuses has the code of the problem, and is no failure${countsAttempts}`,
      async () => {
        const fan = await world.fan()
        const traceId = newTrace()
        const { status } = await fan.post('/api/packs/purchase', { packId: 'unknown' }, traceparent(traceId))
        expect(status).toBe(404)
        const unit = (await collector.traceOf(traceId, 4)).find(({ name }) => name === 'unit of work')
        expect(unit).toMatchObject({ attributes: { 'error.type': 'pack_not_found' }, failed: false })
      },
    )

    test('a delivery of a webhook is a trace of its own, which the receiver can continue', async () => {
      const receiver = startReceiver()
      await addReceiver(world, receiver, ['reward.claimed'])
      await happen(world, await newFan(world))
      await distributeAll(world)
      const dispatcher = dispatcherOf(world)
      await drain(world, dispatcher)
      const { traceId, spanId, flags } = partsOf(receiver.received[0]?.headers.traceparent)
      const spans = await collector.traceOf(String(traceId), 1)
      const server = { 'server.address': '127.0.0.1', 'server.port': Number(URL.parse(receiver.url)?.port) }
      expect(spans).toMatchObject([
        {
          ...{ spanId, name: 'POST webhook', kind: 'client' },
          attributes: { 'http.request.method': 'POST', 'http.response.status_code': 204, ...server },
        },
      ])
      expect(spans[0]?.parentSpanId).toBeUndefined()
      expect([flags, collector.exports.some(({ text }) => text.includes('of-the-receiver'))]).toEqual([
        '01',
        false,
      ])
      await dispatcher.stop()
      await receiver.stop()
    })
  },
  { env },
)

onEngine(
  sqliteEngine,
  'Traces of requests',
  world => {
    beforeAll(() => fetchKeys(world))

    test('a span has the id of the operation, the route and the status, and nothing else', async () => {
      const traceId = newTrace()
      await world.anonymous.get('/api/packs/none-of-this-name', traceparent(traceId))
      const [span] = await collector.traceOf(traceId, 1)
      expect(span).toMatchObject({
        name: 'readPack',
        kind: 'server',
        parentSpanId: CLIENT_SPAN,
        failed: false,
      })
      expect(span?.attributes).toEqual({
        'http.request.method': 'GET',
        'http.route': '/api/packs/:packId',
        'http.response.status_code': 404,
        'url.path': '/api/packs/:packId',
        'url.scheme': 'http',
      })
      expect(span?.resource).toMatchObject({
        'service.name': 'matchday',
        'telemetry.sdk.name': 'opentelemetry',
        'process.runtime.name': 'bun',
      })
    })

    test.each([
      ['an unknown path', 'GET', '/api/nothing', 'GET', 404, undefined],
      ['a method that the path does not accept', 'DELETE', '/api/teams', 'DELETE', 405, undefined],
      ['an unknown method', 'PROPFIND', '/api/teams', 'HTTP', 405, undefined],
      ['a query that is refused', 'GET', '/api/teams?%ff', 'GET', 400, undefined],
      ['a missing token', 'GET', '/api/rewards', 'listRewards', 401, '/api/rewards'],
      ['HEAD', 'HEAD', '/api/teams', 'listTeams', 200, '/api/teams'],
      [
        'a response from memory',
        'GET',
        '/.well-known/jwks.json',
        'getNativeTokenKeys',
        200,
        '/.well-known/jwks.json',
      ],
    ])('%s has a span', async (_, method, path, name, status, route) => {
      const traceId = newTrace()
      const headers = traceparent(traceId)
      await world.app.handle(new Request(`http://localhost${path}`, { method, headers }))
      const [span] = await collector.traceOf(traceId, 1)
      expect([
        span?.name,
        span?.attributes['http.response.status_code'],
        span?.attributes['http.route'],
      ]).toEqual([name, status, route])
    })

    test('a failure of the server is a failure of its span', async () => {
      const { handle } = world.idp
      const fan = await world.fan()
      world.idp.handle = async () => new Response('', { status: 503 })
      const traceId = newTrace()
      const { status } = await fan.post('/api/user/sync-identity', undefined, traceparent(traceId))
      world.idp.handle = handle
      expect(status).toBe(503)
      const spans = await collector.traceOf(traceId, 4)
      const failed = spans
        .filter(span => span.failed)
        .map(({ name, attributes }) => [name, attributes['error.type']])
      expect(new Map(failed as [string, string][])).toEqual(
        new Map([
          ['GET identity-provider', '503'],
          ['syncIdentity', '503'],
        ]),
      )
    })

    test('probes of load balancers have no trace', async () => {
      const probe = newTrace()
      const after = newTrace()
      await world.anonymous.get('/readyz', traceparent(probe))
      await world.anonymous.get('/api/teams', traceparent(after))
      await collector.traceOf(after, 1)
      expect(collector.spans.filter(({ traceId }) => traceId === probe)).toEqual([])
    })

    test('without traceparent a request begins a trace', async () => {
      await world.anonymous.get('/api/teams')
      const traceId = await lastLogged()
      const spans = await collector.traceOf(traceId, 1)
      expect(outline(spans)).toEqual(['undefined > listTeams'])
    })

    test.each([
      ['no trace', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
      ['no parent', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
      ['upper case', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01'],
      ['a forbidden version', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
      ['too short', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'],
      ['more than version 00 has', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x'],
      [
        'two headers',
        '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      ],
      ['text', `<script>${'x'.repeat(5_000)}`],
    ])('a traceparent is ignored: %s', async (_, header) => {
      const { status } = await world.anonymous.get('/api/teams', { traceparent: header })
      const traceId = await lastLogged()
      expect([status, traceId === '4bf92f3577b34da6a3ce929d0e0e4736']).toEqual([200, false])
      expect((await collector.traceOf(traceId, 1))[0]?.parentSpanId).toBeUndefined()
    })

    test('the provider gets the traceparent of the request to it', async () => {
      const fan = await world.fan()
      const traceId = newTrace()
      const pull = () => fan.post('/api/user/sync-identity', undefined, traceparent(traceId))
      const received = (await receivedByProvider(world, pull)).map(partsOf)
      const calls = (await collector.traceOf(traceId, 5)).filter(
        ({ name }) => name === 'GET identity-provider',
      )
      expect(received).toEqual(calls.map(({ spanId }) => ({ traceId, spanId, flags: '01' })))
      expect(received.length).toBeGreaterThan(0)
    })

    test('a trace that is not sampled is passed on and logged, and its spans are not sent', async () => {
      const fan = await world.fan()
      const [unsampled, sampled] = [newTrace(), newTrace()]
      const pull = () => fan.post('/api/user/sync-identity', undefined, traceparent(unsampled, '00'))
      const received = (await receivedByProvider(world, pull)).map(partsOf)
      expect(received.map(({ traceId, flags }) => [traceId, flags])).toContainEqual([unsampled, '00'])
      expect(await lastLogged()).toBe(unsampled)
      await fan.get('/api/rewards', traceparent(sampled))
      await collector.traceOf(sampled, 1)
      expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([])
    })

    test('every log line of a request has the ids of its trace and span, and other lines have none', async () => {
      const from = world.logged.length
      const traceId = newTrace()
      const { handle } = world.idp
      const fan = await world.fan()
      await fan.get('/api/rewards')
      world.idp.handle = async () => new Response('{}', { headers: { 'content-type': 'application/json' } })
      await fan.post('/api/user/sync-identity', undefined, traceparent(traceId))
      world.idp.handle = handle
      world.deps.log.info('outside')
      const lines = world.logged.slice(from).map(line => JSON.parse(line))
      const ofRequest = lines.filter(line => line.trace_id === traceId)
      expect(ofRequest.map(({ msg }) => msg)).toEqual(['identity provider: userinfo not read', 'request'])
      expect(ofRequest.every(({ span_id }) => /^[0-9a-f]{16}$/.test(span_id))).toBe(true)
      expect(lines.at(-1)).not.toHaveProperty('trace_id')
    })

    test('spans contain no data of a fan: no token, name, id, code, query or body', async () => {
      const fan = await world.fan()
      const traceId = newTrace()
      const headers = traceparent(traceId)
      const { body: profile } = await fan.post(
        '/api/user/profile',
        { handle: 'tell_tale', bio: 'tell-tale' },
        headers,
      )
      const { body: native } = await fan.post('/api/auth/native-token', {}, headers)
      await fan.post('/api/auth/native-token/refresh', { refreshToken: native.refreshToken }, headers)
      const { body: sync } = await fan.post('/api/user/sync-identity', undefined, headers)
      await fan.get('/api/leaderboard?cursor=tell-tale', headers)
      await fan.send(`/api/auth/sessions/${native.sessionId}`, { method: 'DELETE', headers })
      await world.anonymous.get(`/nothing/${fan.token}?access_token=${fan.token}`, headers)
      await world.withToken(`${fan.token}x`).get('/api/rewards', headers)
      await collector.traceOf(traceId, 26)
      const sent = collector.exports.map(({ text }) => text).join('\n')
      const { email, name } = sync.identity
      const secrets = [
        fan.token.split('.')[2],
        native.token,
        native.refreshToken,
        native.sessionId,
        email,
        name,
      ]
      for (const secret of [...secrets, profile.id, fan.subject, 'tell-tale', 'tell_tale', 'access_token'])
        expect(sent).not.toContain(secret)
    })

    /** The trace of the last request in the log. */
    async function lastLogged(): Promise<string> {
      await nextTurn()
      const requests = world.logged.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request')
      return requests.at(-1).trace_id
    }
  },
  { env },
)

const stripe = startStripe()
afterAll(() => stripe.stop())
const seenByStripe: string[] = []
const proxy = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    seenByStripe.push(request.headers.get('traceparent') ?? 'none')
    const { pathname, search } = new URL(request.url)
    return fetch(new Request(`${stripe.env.STRIPE_API_BASE}${pathname}${search}`, request))
  },
})
afterAll(() => proxy.stop(true))

onEngine(
  sqliteEngine,
  'Traces of payments',
  world => {
    test('Stripe gets the traceparent of the request to it, and no span has the payment', async () => {
      const { intentId } = await checkOut(world)
      const { traceId, spanId } = partsOf(seenByStripe.at(-1))
      const spans = await collector.traceOf(String(traceId), 4)
      expect(spans.find(span => span.spanId === spanId)).toMatchObject({
        name: 'POST stripe',
        kind: 'client',
      })
      expect(outline(spans)).toContain('preparePayment > POST stripe')
      expect(collector.exports.some(({ text }) => text.includes(intentId))).toBe(false)
    })
  },
  { env: { ...stripe.env, ...env, STRIPE_API_BASE: `http://127.0.0.1:${proxy.port}` } },
)

onEngine(sqliteEngine, 'Without traces', world => {
  test('nothing is traced, sent or logged about traces', async () => {
    const fan = await world.fan()
    const exported = collector.exports.length
    const received = await receivedByProvider(world, () =>
      fan.post('/api/user/sync-identity', undefined, traceparent(newTrace())),
    )
    expect(world.deps.tracer).toBeUndefined()
    expect(new Set(received)).toEqual(new Set(['none']))
    expect(world.logged.join('')).not.toContain('trace_id')
    expect(collector.exports).toHaveLength(exported)
  })
})
