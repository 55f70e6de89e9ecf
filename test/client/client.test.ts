/** `@matchday/client` against the real application: what it repeats, refreshes and resumes. */
import { beforeAll, describe, expect, test } from 'bun:test'
import {
  type ClientOptions,
  createClient,
  keepIn,
  ProblemError,
  type Session,
  type SessionStore,
  type StreamEvent,
  unwrap,
} from '@matchday/client'
import { newPng } from '../club/pictures/pictures-world.ts'
import { addPack } from '../play/packs/packs-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { turns, waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'

const EXPIRED_MS = 16 * 60_000

interface Sent {
  path: string
  headers: Headers
  /** Null where no response arrived. */
  status: number | null
}

/** `fetch` that notes what was sent. `loseFirst`: the response of the first request to this path is lost after the API has answered. */
function watchedFetch({ loseFirst = '' } = {}) {
  const sent: Sent[] = []
  const cuts: AbortController[] = []
  let lost = loseFirst === ''
  async function watched(url: string, init: RequestInit): Promise<Response> {
    const { pathname } = new URL(url)
    const note: Sent = { path: pathname, headers: new Headers(init.headers), status: null }
    sent.push(note)
    const cut = new AbortController()
    cuts.push(cut)
    const signals = init.signal ? [init.signal, cut.signal] : [cut.signal]
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
    if (!lost && pathname === loseFirst) {
      lost = true
      throw new TypeError('The connection was cut.')
    }
    note.status = response.status
    return response
  }
  return {
    fetch: watched,
    sent,
    to: (path: string) => sent.filter(one => one.path === path),
    /** As a network that loses what is open. */
    cutAll: () => {
      for (const cut of cuts.splice(0)) cut.abort()
    },
  }
}

/** A server of one test, gone after `use`. */
async function withServer(
  answer: (request: Request) => Response | Promise<Response>,
  use: (origin: string) => Promise<void>,
) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  try {
    await use(`http://127.0.0.1:${server.port}`)
  } finally {
    await server.stop(true)
  }
}

onEngine(sqliteEngine, 'The client', world => {
  let origin: string
  beforeAll(() => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
  })

  /** A client of a fan who is signed in. */
  async function signedIn(options: Partial<ClientOptions> = {}) {
    const fan = await world.fan()
    const token = await world.idp.issueToken(fan.subject)
    const client = createClient({ origin, ...options })
    const { error } = await client.session.signIn(token)
    expect(error).toBeNull()
    return { ...client, fan }
  }

  describe('repeats', () => {
    test('a write whose response was lost, with the same key, so that it happens once', async () => {
      const pack = await addPack(world, { price: { amount: 0, currency: 'POINTS' } })
      const { fetch, to } = watchedFetch({ loseFirst: '/api/packs/purchase' })
      const { api } = await signedIn({ fetch })
      const { data, response } = await api.startPurchase({ packId: pack })
      const [first, second, ...more] = to('/api/packs/purchase')
      expect(more).toEqual([])
      expect(first?.headers.get('idempotency-key')).toMatch(/^[\x21-\x7e]{16,255}$/)
      expect(second?.headers.get('idempotency-key')).toBe(first?.headers.get('idempotency-key') ?? '')
      expect(response?.headers.get('idempotent-replayed')).toBe('true')
      const { purchases } = await unwrap(api.listPurchases())
      expect(purchases.map(({ id }) => id)).toEqual([data?.id ?? ''])
    })

    test('two calls have two keys, and a key of the app is sent as it is', async () => {
      const { fetch, to } = watchedFetch()
      const { api } = await signedIn({ fetch })
      await api.updateProfile({ bio: 'a' })
      await api.writeProfile({ bio: 'b' })
      await api.writeProfile({ bio: 'c' }, { idempotencyKey: 'mine' })
      const keys = to('/api/user/profile').map(({ headers }) => headers.get('idempotency-key'))
      expect(new Set(keys).size).toBe(3)
      expect(keys[2]).toBe('mine')
    })

    test('not the exchange of a token, which would happen twice', async () => {
      const { fetch, to } = watchedFetch({ loseFirst: '/api/auth/native-token' })
      const { subject } = await world.fan()
      const client = createClient({ origin, fetch })
      const { error } = await client.session.signIn(await world.idp.issueToken(subject))
      expect(error?.code).toBe('network_error')
      expect(to('/api/auth/native-token')).toHaveLength(1)
      expect(await client.session.current()).toBeNull()
    })

    const dateIn = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()
    const PROBLEM = { 'content-type': 'application/problem+json' }
    const refusal = (code: string, status: number, headers = {}) =>
      Response.json(
        { type: `urn:matchday:problem:${code}`, title: code, status, code, detail: code, requestId: 'r' },
        { status, headers: { ...PROBLEM, ...headers } },
      )

    test.each([
      ['an overload', () => refusal('overloaded', 503, { 'retry-after': '0' }), 2],
      ['a rate limit', () => refusal('rate_limited', 429, { 'retry-after': '0' }), 2],
      ['a key in use', () => refusal('idempotency_in_progress', 409), 2],
      ['a gateway without the API', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 2],
      ['an overload until a date', () => refusal('overloaded', 503, { 'retry-after': dateIn(0) }), 2],
      ['an overload until next minute', () => refusal('overloaded', 503, { 'retry-after': dateIn(60) }), 1],
      [
        'an overload until a date of a server whose clock differs',
        () => refusal('overloaded', 503, { 'retry-after': dateIn(3601), date: dateIn(3600) }),
        2,
      ],
      ['an unreadable date', () => refusal('overloaded', 503, { 'retry-after': 'soon' }), 2],
      ['a rate limit of a minute', () => refusal('rate_limited', 429, { 'retry-after': '60' }), 1],
      ['a refusal', () => refusal('reward_not_found', 404), 1],
      ['a full disk', () => refusal('storage_full', 507), 1],
    ])('%s: only a temporary failure is tried again', async (_, answer, requests) => {
      let count = 0
      await withServer(
        () => (++count === 1 ? answer() : Response.json({ reward: {} })),
        async fake => {
          const { api } = createClient({ origin: fake, token: 'x' })
          const { error } = await api.claimReward({ rewardId: 'scarf' })
          expect(count).toBe(requests)
          expect(error === null).toBe(requests === 2)
        },
      )
    })

    test('the configured number of times, then returns the last problem', async () => {
      let count = 0
      await withServer(
        () => {
          count++
          return refusal('overloaded', 503)
        },
        async fake => {
          const { error } = await createClient({ origin: fake, token: 'x', retries: 1 }).api.readDashboard()
          expect([count, error?.code as string]).toEqual([2, 'overloaded'])
        },
      )
    })
  })

  describe('a failure outside of the API', () => {
    test.each([
      ['an HTML page in place of the API', 200, '<h1>Wi-Fi</h1>', 'text/html'],
      ['JSON of another server', 404, '{"message":"no route"}', 'application/json'],
      ['text that calls itself JSON', 200, 'oops', 'application/json'],
      ['a problem without a request id', 404, '{"code":"x"}', 'application/problem+json'],
    ])('%s is unexpected_response', async (_, status, body, type) => {
      const headers = { 'content-type': type, 'x-request-id': 'proxy-1' }
      await withServer(
        () => new Response(body, { status, headers }),
        async fake => {
          const { data, error } = await createClient({ origin: fake }).api.listTeams()
          expect(data).toBeNull()
          expect(error).toEqual({
            type: 'urn:matchday:problem:unexpected_response',
            title: expect.stringMatching(/\w/),
            status: 502,
            code: 'unexpected_response',
            detail: expect.stringContaining(String(status)),
            requestId: 'proxy-1',
          })
        },
      )
    })

    test('a closed port and a response that never comes are network_error', async () => {
      let closed = ''
      await withServer(
        () => new Response(),
        async fake => {
          closed = fake
        },
      )
      await withServer(
        () => new Promise<Response>(() => {}),
        async silent => {
          const calls = [
            createClient({ origin: closed, retries: 0 }).api.listTeams(),
            createClient({ origin: silent, timeoutMs: 50, retries: 0 }).api.listTeams(),
          ]
          for (const { error, response } of await Promise.all(calls))
            expect([error?.code, error?.status, error?.requestId, response]).toEqual([
              'network_error',
              503,
              '',
              null,
            ])
        },
      )
    })

    test.each([
      ['before it', 0],
      ['during it', 1],
      ['between two attempts', 2],
    ])('an abort has its own code: %s', async (_, moment) => {
      const controller = new AbortController()
      let requests = 0
      let responses = 0
      const counted = async (url: string, init: RequestInit) => {
        const response = await fetch(url, init)
        responses++
        return response
      }
      if (moment === 0) controller.abort()
      await withServer(
        () => {
          requests++
          if (moment === 2) return new Response('', { status: 503, headers: { 'retry-after': '5' } })
          return new Promise<Response>(() => {})
        },
        async fake => {
          const { api } = createClient({ origin: fake, fetch: counted })
          const call = api.listTeams({}, { signal: controller.signal })
          await waitUntil('the moment', () => [true, requests === 1, responses === 1][moment] ?? false)
          controller.abort()
          expect((await call).error).toMatchObject({ code: 'aborted', status: 499 })
          expect(requests).toBe(Math.min(moment, 1))
        },
      )
    })

    test('unwrap throws the problem', async () => {
      const call = unwrap(createClient({ origin }).api.readPack({ packId: 'a/b c' }))
      const error = await call.catch(reason => reason)
      expect(error).toBeInstanceOf(ProblemError)
      expect(error.problem.code).toBe('pack_not_found')
    })
  })

  describe('never rejects, and says what was not sent', () => {
    const fails = (): never => {
      throw new Error('of the app')
    }
    const rejects = () => Promise.reject(new Error('of the app'))
    // Guarantee of the cast: none; an app without types can pass it.
    const big = 2n as unknown as number

    test.each<[string, Partial<ClientOptions>]>([
      ['a store that cannot be read', { store: { read: rejects, write: () => {} } }],
      ['a store that throws at once', { store: { read: fails, write: () => {} } }],
      ['a token that rejects', { token: rejects }],
      ['a token that throws', { token: fails }],
      ['headers that throw', { headers: fails }],
    ])('%s', async (_, options) => {
      const { fetch, sent } = watchedFetch()
      const { api, session } = createClient({ origin, fetch, ...options })
      const { data, error } = await api.readDashboard()
      expect([data, error?.code, error?.detail]).toEqual([null, 'request_not_sent', 'of the app'])
      expect([await session.token(), await session.current(), sent]).toEqual([null, null, []])
      expect(await (await session.signOut()).ended).toBeNull()
    })

    test('half of a surrogate pair in a path or a query, a BigInt and a cycle in a body', async () => {
      const { fetch, sent } = watchedFetch()
      const { api, follow } = createClient({ origin, fetch, token: 'x' })
      const circle: { bio?: string } = {}
      Object.assign(circle, { bio: circle })
      const calls = [
        api.readPack({ packId: '\ud800' }),
        api.listProducts({ cursor: '\ud800' }),
        api.startTopUp({ amount: big, currency: 'EUR' }),
        api.writeProfile(circle),
      ]
      for (const { error } of await Promise.all(calls)) expect(error?.code).toBe('request_not_sent')
      let ended = ''
      follow(['pack:\ud800'], () => {}, { onEnd: ({ code }) => (ended = code) })
      expect([ended, sent]).toEqual(['request_not_sent', []])
      // JSON can hold it: the API refuses it.
      await expect((await signedIn()).api.writeProfile({ bio: '\ud800' })).resolves.toMatchObject({
        error: { code: 'validation_failed' },
      })
    })

    test('a stream whose token fails tries again', async () => {
      let asked = 0
      const connections: boolean[] = []
      const seen: StreamEvent[] = []
      const token = () => (++asked === 1 ? rejects() : null)
      await withServer(
        () => new Response('data: {}\n\n', { headers: { 'content-type': 'text/event-stream' } }),
        async fake => {
          const { follow } = createClient({ origin: fake, token })
          const end = follow(['leaderboard'], event => void seen.push(event), {
            onConnection: open => void connections.push(open),
          })
          await waitUntil('an event arrived', () => seen.length > 0)
          end()
          expect(connections.slice(0, 2)).toEqual([false, true])
        },
      )
    })

    test('a session that cannot be stored lasts as long as the client', async () => {
      const errors: unknown[] = []
      const store = { read: () => null, write: rejects }
      const { api, session } = await signedIn({ store, onStoreError: error => void errors.push(error) })
      expect((await api.readOnboarding()).error).toBeNull()
      world.clock.advance(EXPIRED_MS)
      expect((await api.readOnboarding()).error).toBeNull()
      expect(errors).toHaveLength(2)
      await (await session.signOut()).ended
      expect((await api.readOnboarding()).error?.code).toBe('unauthenticated')
    })

    test('a store that refuses its lock', async () => {
      const { session } = await signedIn()
      const kept = await session.current()
      const store = { read: () => kept && { ...kept, renewAt: 0 }, write: () => {}, exclusively: rejects }
      const { error } = await createClient({ origin, store }).api.readDashboard()
      expect(error?.code).toBe('request_not_sent')
    })
  })

  describe('the session', () => {
    test('is deleted at once when the fan signs out, and ends at the API in the background', async () => {
      let answered = () => {}
      const held = new Promise<void>(resolve => {
        answered = resolve
      })
      const texts = new Map<string, string>()
      const store = keepIn({
        getItem: key => texts.get(key) ?? null,
        setItem: (key, value) => texts.set(key, value),
        removeItem: key => texts.delete(key),
      })
      const { session, api, fan } = await signedIn({
        store,
        fetch: async (url, init) => {
          if (url.endsWith('/logout')) await held
          return fetch(url, init)
        },
      })
      const { ended } = await session.signOut()
      expect([texts.size, await session.current(), await session.token()]).toEqual([0, null, null])
      expect((await api.readOnboarding()).error?.code).toBe('unauthenticated')
      answered()
      expect((await ended)?.error).toBeNull()
      const other = createClient({ origin, token: await world.idp.issueToken(fan.subject) })
      expect((await unwrap(other.api.listSessions())).sessions).toEqual([])
    })

    test('ends at the API also if its token has expired, everywhere', async () => {
      const { session, fan } = await signedIn()
      const second = createClient({ origin })
      await second.session.signIn(await world.idp.issueToken(fan.subject))
      world.clock.advance(EXPIRED_MS)
      const { ended } = await session.signOut({ everywhere: true })
      expect((await ended)?.error).toBeNull()
      expect((await second.api.readOnboarding()).error?.status).toBe(401)
    })

    test('that was signed out while the store was being read is not written again', async () => {
      let kept: Session | null = null
      const reads: (() => void)[] = []
      let slow = false
      const store: SessionStore = {
        read: async () => {
          const session = kept
          if (slow) await new Promise<void>(resolve => reads.push(resolve))
          return session
        },
        write: session => {
          kept = session
        },
      }
      const { api, session } = await signedIn({
        store,
        fetch: async (url, init) => {
          const response = await fetch(url, init)
          // The read that follows the refresh is under way while the fan signs out.
          if (url.endsWith('/refresh') && reads.length === 0) slow = true
          return response
        },
      })
      world.clock.advance(EXPIRED_MS)
      const reading = api.readOnboarding()
      await waitUntil('the refresh is answered', () => reads.length === 1)
      slow = false
      await (await session.signOut()).ended
      for (const resolve of reads) resolve()
      await reading
      expect(kept).toBeNull()
    })

    test('is refreshed once by ten requests that are refused at the same time', async () => {
      const { fetch, to, sent } = watchedFetch()
      const { api, session } = await signedIn({ fetch })
      const before = await session.current()
      world.clock.advance(EXPIRED_MS)
      sent.length = 0
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, n) => api.writeProfile({ bio: `bio ${n}` })),
      )
      expect(results.map(({ error }) => error)).toEqual(Array.from({ length: 10 }, () => null))
      expect(to('/api/auth/native-token/refresh')).toHaveLength(1)
      const writes = to('/api/user/profile')
      expect(writes.map(({ status }) => status).filter(status => status === 401)).toHaveLength(10)
      expect(new Set(writes.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(10)
      const after = await session.current()
      expect(after?.sessionId).toBe(before?.sessionId ?? '')
      expect(after?.refreshToken).not.toBe(before?.refreshToken)
    })

    test('is refreshed once by two clients that share a store, one at a time', async () => {
      let session: Session | null = null
      let last: Promise<unknown> = Promise.resolve()
      const store: SessionStore = {
        read: () => session,
        write: next => {
          session = next
        },
        exclusively(refresh) {
          const result = last.then(refresh)
          last = result
          return result
        },
      }
      const { fetch, to } = watchedFetch()
      const first = await signedIn({ fetch, store })
      const second = createClient({ origin, store, fetch })
      world.clock.advance(EXPIRED_MS)
      const results = await Promise.all([first.api.readDashboard(), second.api.readDashboard()])
      expect(results.map(({ error }) => error)).toEqual([null, null])
      expect(to('/api/auth/native-token/refresh')).toHaveLength(1)
    })

    test('is refreshed before the token expires, and kept in a storage', async () => {
      const texts = new Map<string, string>()
      const store = keepIn({
        getItem: key => texts.get(key) ?? null,
        setItem: (key, value) => texts.set(key, value),
        removeItem: key => texts.delete(key),
      })
      const { session } = await signedIn({ store })
      const stored = (await store.read()) as Session
      expect(stored.renewAt).toBeGreaterThan(Date.now() + 14 * 60_000)
      // As after a quarter of an hour, in the next start of the app.
      await store.write({ ...stored, renewAt: Date.now() - 1 })
      const { fetch, to } = watchedFetch()
      const next = createClient({ origin, store, fetch })
      expect(new Set(await Promise.all([next.session.token(), next.session.token()])).size).toBe(1)
      expect((await next.api.readDashboard()).error?.code).not.toBe('invalid_token')
      expect(to('/api/auth/native-token/refresh')).toHaveLength(1)
      // The first client finds what the second has stored.
      expect(await session.token()).toBe(await next.session.token())
      for (const text of [
        '{"token":7',
        'null',
        ...['token', 'refreshToken', 'renewAt'].map(member =>
          JSON.stringify({ ...stored, [member]: undefined }),
        ),
      ]) {
        texts.set('matchday-session', text)
        expect(await store.read()).toBeNull()
      }
    })

    test('uploads a file as it is, and makes it the avatar', async () => {
      const { api } = await signedIn()
      const { url, width } = await unwrap(api.uploadPicture({ file: new Blob([newPng()]) }))
      expect(width).toBeGreaterThan(0)
      await unwrap(api.writeProfile({ avatarUrl: url }))
      expect((await unwrap(api.readProfile())).avatarUrl).toBe(url)
      for (const file of [newPng(), Buffer.from(newPng())])
        expect((await unwrap(api.uploadPicture({ file }))).width).toBeGreaterThan(0)
      for (const file of [new ArrayBuffer(3), new Uint8Array(3)]) {
        const { error } = await api.uploadPicture({ file })
        expect(error?.code).toBe('picture_not_supported')
      }
    })

    test('continues after a refresh whose response was lost, also when it is repeated an hour later', async () => {
      let ended = 0
      const { fetch, to } = watchedFetch({ loseFirst: '/api/auth/native-token/refresh' })
      const { api, session } = await signedIn({ fetch, retries: 0, onSessionEnd: () => ended++ })
      const before = await session.current()
      world.clock.advance(EXPIRED_MS)
      expect((await api.readDashboard()).error?.code).toBe('network_error')
      expect(await session.current()).toEqual(before)
      world.clock.advance(60 * 60_000)
      for (const round of [1, 2]) {
        expect([round, (await api.readOnboarding()).error]).toEqual([round, null])
        world.clock.advance(EXPIRED_MS)
      }
      expect(to('/api/auth/native-token/refresh').map(({ status }) => status)).toEqual([null, 200, 200])
      expect(ended).toBe(0)
    })

    test('ends for the app when the API has ended it', async () => {
      let ended = 0
      const { api, session, fan } = await signedIn({ onSessionEnd: () => ended++ })
      const other = createClient({ origin, token: await world.idp.issueToken(fan.subject) })
      const { sessions } = await unwrap(other.api.listSessions())
      for (const { id } of sessions) await unwrap(other.api.endSession({ sessionId: id }))
      const results = await Promise.all([api.readDashboard(), api.readOnboarding()])
      for (const { error } of results) expect(error?.status).toBe(401)
      expect([ended, await session.current()]).toEqual([1, null])
      expect((await api.readDashboard()).error?.code).toBe('unauthenticated')
      expect((await api.listTeams()).error).toBeNull()
    })

    test('stays while the API cannot be reached, and the call says why', async () => {
      const { session } = await signedIn()
      const kept = await session.current()
      const store = { read: () => kept && { ...kept, renewAt: 0 }, write: () => {} }
      const down = () => Promise.reject(new TypeError('offline'))
      const { api } = createClient({ origin, store, fetch: down, retries: 0 })
      expect((await api.readDashboard()).error?.code).toBe('network_error')
    })

    test('that the fan has ended stays ended, even during a refresh', async () => {
      let refreshing = false
      let release = () => {}
      const held = new Promise<void>(resolve => {
        release = resolve
      })
      const { session, api, fan } = await signedIn({
        fetch: async (url, init) => {
          const response = await fetch(url, init)
          if (url.endsWith('/refresh')) {
            refreshing = true
            await held
          }
          return response
        },
      })
      world.clock.advance(EXPIRED_MS)
      const reading = api.readDashboard()
      await waitUntil('the refresh is under way', () => refreshing)
      const leaving = session.signOut()
      await leaving
      release()
      const [, { ended }] = await Promise.all([reading, leaving])
      expect([(await ended)?.error, await session.current()]).toEqual([null, null])
      const other = createClient({ origin, token: await world.idp.issueToken(fan.subject) })
      expect((await unwrap(other.api.listSessions())).sessions).toEqual([])
    })

    test('of a fan who signs in while another session is refreshed is the one that stays', async () => {
      const { fetch: watched, to } = watchedFetch()
      let release = () => {}
      const held = new Promise<void>(resolve => {
        release = resolve
      })
      const { session, api } = await signedIn({
        fetch: async (url, init) => {
          const response = await watched(url, init)
          if (url.endsWith('/refresh')) await held
          return response
        },
      })
      world.clock.advance(EXPIRED_MS)
      const reading = api.readDashboard()
      await waitUntil(
        'the refresh is answered',
        () => to('/api/auth/native-token/refresh')[0]?.status === 200,
      )
      const { subject } = await world.fan()
      const { data } = await session.signIn(await world.idp.issueToken(subject))
      release()
      await reading
      expect((await session.current())?.refreshToken).toBe(data?.refreshToken ?? '')
    })

    test('is not used when the call or the client has a token', async () => {
      const key = await world.serverKey(['redemptions:read'])
      const { error } = await createClient({ origin, token: key }).api.lookUpRedemption({ code: 'none' })
      expect(error?.code).toBe('redemption_not_found')
      const { api, fan } = await signedIn()
      expect((await api.deleteAccount()).error?.code).toBe('reauthentication_required')
      const fresh = await world.idp.issueToken(fan.subject)
      expect((await api.deleteAccount({}, { token: fresh })).error).toBeNull()
    })
  })

  describe('the stream', () => {
    test('continues after the last event when it is cut, without a gap and without a repeat', async () => {
      const { fetch, to, cutAll } = watchedFetch()
      const { api, follow } = await signedIn({ fetch })
      await api.completeOnboarding()
      const seen: StreamEvent[] = []
      const connections: boolean[] = []
      const end = follow(['me'], event => void seen.push(event), {
        onConnection: open => void connections.push(open),
      })
      await waitUntil('the stream is open', () => seen.length > 0)
      await api.writeProfile({ displayName: 'Ada', handle: 'resumes' })
      const changes = async (count: number) => {
        const reward = await world.reward({ pointsRequired: 1 })
        await unwrap(api.claimReward({ rewardId: reward }))
        await waitUntil(`${count} claims were seen`, () => claims().length === count)
      }
      const claims = () => seen.filter(({ type }) => type === 'reward.claimed')
      await changes(1)
      cutAll()
      await waitUntil('the cut was noticed', () => connections.includes(false))
      await changes(2)
      await changes(3)
      const [first, second] = to('/api/stream')
      expect(first?.headers.get('last-event-id')).toBeNull()
      expect(second?.headers.get('last-event-id')).toMatch(/^\d+$/)
      expect(seen.filter(({ type }) => type === 'reset')).toHaveLength(1)
      const ids = seen.map(({ id }) => Number(id))
      expect(ids).toEqual(Array.from(ids, (_, n) => (ids[0] ?? 0) + n))
      expect(connections).toEqual([true, false, true])
      end()
      await waitUntil('the API noticed', () => world.deps.streams.size === 0)
    })

    test('uses a new token when its own has expired', async () => {
      const { fetch, to, cutAll } = watchedFetch()
      const { follow } = await signedIn({ fetch })
      const seen: StreamEvent[] = []
      const end = follow(['me'], event => void seen.push(event))
      await waitUntil('the stream is open', () => seen.length === 1)
      world.clock.advance(EXPIRED_MS)
      cutAll()
      await waitUntil(
        'the stream is open again',
        () => to('/api/stream').at(-1)?.status === 200 && to('/api/stream').length > 1,
      )
      expect(to('/api/auth/native-token/refresh')).toHaveLength(1)
      end()
      await waitUntil('the API noticed', () => world.deps.streams.size === 0)
    })

    test.each([
      ['without a session', ['me'] as const, 'unauthenticated'],
      ['of a pack that does not exist', ['pack:none'] as const, 'pack_not_found'],
    ])('%s ends with the problem', async (_, topics, code) => {
      let ended = ''
      createClient({ origin }).follow(topics, () => {}, { onEnd: problem => (ended = problem.code) })
      await waitUntil('the stream has ended', () => ended !== '')
      expect(ended).toBe(code)
    })

    test('is ended by the function that is called for an event, without an error', async () => {
      const errors: unknown[] = []
      const note = (error: unknown) => void errors.push(error)
      process.on('unhandledRejection', note)
      const seen: StreamEvent[] = []
      const end = createClient({ origin }).follow(['leaderboard'], event => {
        seen.push(event)
        end()
      })
      await waitUntil('an event arrived', () => seen.length > 0)
      // A rejection that nobody takes is reported later.
      await turns(5)
      process.off('unhandledRejection', note)
      expect(errors).toEqual([])
      expect(seen.map(({ type }) => type)).toEqual(['reset'])
    })

    test('closes a connection whose event cannot be read, and opens another', async () => {
      const signals: (AbortSignal | null | undefined)[] = []
      const text = 'retry: 1\n\nevent: leaderboard\ndata: {\n\n'
      const end = createClient({
        origin,
        fetch: async (_, init) => {
          signals.push(init?.signal)
          const body = new ReadableStream({
            start: stream => stream.enqueue(new TextEncoder().encode(text)),
          })
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
        },
      }).follow(['leaderboard'], () => {})
      await waitUntil('two connections were opened', () => signals.length > 1)
      end()
      expect(signals[0]?.aborted).toBe(true)
    })

    test('reads frames that arrive in parts', async () => {
      const text =
        '\uFEFFretry: 1\r\nid: 7\r\nevent: reset\r\ndata: {\r\ndata:}\r\n\r\n: comment\n\nevent: leaderboard\ndata: {"etag":"é"}\n\nevent: cut'
      const bytes = new TextEncoder().encode(text)
      await withServer(
        () =>
          new Response(
            new ReadableStream({
              start(stream) {
                for (const byte of bytes) stream.enqueue(Uint8Array.of(byte))
                stream.close()
              },
            }),
            { headers: { 'content-type': 'text/event-stream' } },
          ),
        async fake => {
          const seen: StreamEvent[] = []
          const end = createClient({ origin: fake }).follow(['leaderboard'], event => void seen.push(event))
          await waitUntil('two events arrived', () => seen.length >= 2)
          end()
          expect(seen.slice(0, 2)).toEqual([
            { type: 'reset', id: '7', data: {} },
            { type: 'leaderboard', id: '7', data: { etag: 'é' } },
          ])
        },
      )
    })
  })
})
