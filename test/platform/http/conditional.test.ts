/** Answers that clients and CDNs keep: ETag, If-None-Match, Cache-Control and Vary (RFC 9110, RFC 9111). */
import { beforeAll, expect, test } from 'bun:test'
import { addPack, buy, FREE, open, patientFan } from '../../play/packs/packs-world.ts'
import type { Answer, Client } from '../../support/client.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

const PUBLIC = 'public, max-age=0, s-maxage=1, must-revalidate'
const PRIVATE = 'private, no-cache'
const BOTH = 'Authorization, Accept-Language'
/** RFC 9110 §8.8.3: strong, so no `W/` before it. */
const STRONG = /^"[\x21\x23-\x7e]+"$/

onEachEngine('Conditional answers', world => {
  let fan: Fan
  let packId: string
  /** Path, whose request, and what a cache may do with the answer. */
  let resources: { path: string; client: Client; cacheControl: string; vary: string | null }[]

  beforeAll(async () => {
    fan = await patientFan(world, 500)
    await fan.post('/api/user/onboarding', {})
    packId = await addPack(world)
    await world.team()
    const { userPack } = await buy(fan, await addPack(world, { price: FREE }))
    await open(fan, userPack.id, 'a seed that the fan chose')
    const { anonymous } = world
    resources = [
      { path: '/api/packs', client: anonymous, cacheControl: PUBLIC, vary: BOTH },
      { path: `/api/packs/${packId}`, client: anonymous, cacheControl: PUBLIC, vary: BOTH },
      { path: '/api/packs', client: fan, cacheControl: PRIVATE, vary: BOTH },
      { path: `/api/packs/${packId}`, client: fan, cacheControl: PRIVATE, vary: BOTH },
      { path: '/api/teams', client: anonymous, cacheControl: PUBLIC, vary: 'Accept-Language' },
      { path: `/api/packs/proofs/${userPack.id}`, client: anonymous, cacheControl: PUBLIC, vary: null },
      { path: '/api/leaderboard', client: anonymous, cacheControl: PUBLIC, vary: 'Authorization' },
      { path: '/api/leaderboard', client: fan, cacheControl: PRIVATE, vary: 'Authorization' },
      { path: '/api/leaderboard?around=me', client: fan, cacheControl: PRIVATE, vary: 'Authorization' },
      { path: '/api/dashboard', client: fan, cacheControl: PRIVATE, vary: BOTH },
    ]
  })

  const headersOf = ({ headers }: Answer) => ({
    etag: headers.get('etag'),
    cacheControl: headers.get('cache-control'),
    vary: headers.get('vary'),
  })

  /** A public response varies by its coding as well once it is long enough to be compressed. */
  const varyOf = (whole: Answer, { cacheControl, vary }: (typeof resources)[number]) =>
    cacheControl === PUBLIC && vary !== 'Authorization' && JSON.stringify(whole.body).length >= 1_024
      ? ['Accept-Encoding', vary].filter(name => name !== null).join(', ')
      : vary

  test('have a strong ETag, and Cache-Control and Vary by whether they depend on the caller', async () => {
    for (const resource of resources) {
      const { path, client, cacheControl } = resource
      const answer = await client.get(path)
      const vary = varyOf(answer, resource)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.headers.get('content-type')).toStartWith('application/json')
      expect(headersOf(answer)).toEqual({ etag: expect.stringMatching(STRONG), cacheControl, vary })
    }
  })

  test('are 304 without a body, with the same headers and a request id, if the ETag matches', async () => {
    for (const resource of resources) {
      const { path, client, cacheControl } = resource
      const whole = await client.get(path)
      const vary = varyOf(whole, resource)
      const etag = whole.headers.get('etag') ?? ''
      const named = [
        ...[etag, '*', `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, `"a" , W/"b" ,\t${etag} , "c"`],
        ...[` ${etag} `, `W/"x",W/${etag}`],
      ]
      for (const ifNoneMatch of named) {
        const headers = { 'if-none-match': ifNoneMatch, 'x-request-id': 'my-request' }
        const answer = await client.get(path, headers)
        expect([path, ifNoneMatch, answer.status, answer.body]).toEqual([path, ifNoneMatch, 304, undefined])
        expect(headersOf(answer)).toEqual({ etag, cacheControl, vary })
        expect(answer.headers.get('x-request-id')).toBe('my-request')
        expect(answer.headers.get('content-type')).toBeNull()
      }
    }
  })

  test('cached responses equal computed ones, also with queries, HEAD and other methods', async () => {
    for (const path of ['/api/teams', '/api/seasons']) {
      world.clock.advance(1_000)
      const headers = { 'x-request-id': 'my-request' }
      const [computed, remembered] = [
        await world.anonymous.get(path, headers),
        await world.anonymous.get(path, headers),
      ]
      expect(remembered.body).toEqual(computed.body)
      const lasting = ({ headers }: Answer) =>
        [...headers].filter(([name]) => name !== 'ratelimit').toSorted()
      expect(lasting(remembered)).toEqual(lasting(computed))
      expect((await world.anonymous.get(`${path}?limit=1`)).status).toBe(422)
      const of = async (method: string) => {
        const { status, headers } = await world.app.handle(new Request(`http://localhost${path}`, { method }))
        return [status, headers.get('etag')]
      }
      expect(await of('HEAD')).toEqual([200, computed.headers.get('etag')])
      expect(await of('DELETE')).toEqual([405, null])
    }
  })

  test('are complete if the ETag does not match', async () => {
    for (const { path, client } of resources) {
      const etag = (await client.get(path)).headers.get('etag') ?? ''
      const others = [
        '"other"',
        'W/"other"',
        etag.replaceAll('"', ''),
        etag.slice(0, -1),
        `"${etag}"`,
        '',
        '"*"',
      ]
      for (const ifNoneMatch of others) {
        const answer = await client.get(path, { 'if-none-match': ifNoneMatch })
        expect([path, ifNoneMatch, answer.status]).toEqual([path, ifNoneMatch, 200])
        expect(answer.headers.get('etag')).toBe(etag)
        expect(answer.body).toBeObject()
      }
    }
  })

  test('have the same ETag for the same bytes, and another for others', async () => {
    const tags = async () => {
      const all = []
      for (const { path, client } of resources) all.push((await client.get(path)).headers.get('etag'))
      return all
    }
    const before = await tags()
    world.clock.advance(10_000)
    expect(await tags()).toEqual(before)
    await world.team()
    await addPack(world)
    await world.db.write(tx => tx.update(tx.tables.packs).set({ name: 'Renamed' }))
    await world.grant(fan, 1)
    const after = await tags()
    for (const [n, etag] of after.entries()) {
      const { path = '', client = fan } = resources[n] ?? {}
      // The proof of an opened pack never changes.
      const changes = !path.startsWith('/api/packs/proofs/')
      expect([path, etag !== before[n]]).toEqual([path, changes])
      if (!changes) continue
      const answer = await client.get(path, { 'if-none-match': before[n] ?? '' })
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, etag])
    }
  })

  test('differ between callers: no caller gets 304 to the ETag of another', async () => {
    const other = await patientFan(world, 1)
    for (const path of ['/api/dashboard', '/api/leaderboard']) {
      const etag = (await fan.get(path)).headers.get('etag') ?? ''
      expect((await other.get(path, { 'if-none-match': etag })).status).toBe(
        // Without a place of their own the other sees what everybody sees: not what the fan sees.
        200,
      )
    }
    const own = (await fan.get('/api/leaderboard')).headers.get('etag') ?? ''
    expect((await world.anonymous.get('/api/leaderboard', { 'if-none-match': own })).status).toBe(200)
  })

  test('a public response is public for a request with a token as well', async () => {
    for (const path of ['/api/teams', '/api/seasons']) {
      const [plain, signed] = [await world.anonymous.get(path), await fan.get(path)]
      expect(headersOf(signed)).toEqual(headersOf(plain))
    }
  })

  test('refusals are not cached, with any request headers', async () => {
    const headers = { 'if-none-match': '*' }
    const refused = [
      await world.anonymous.get('/api/dashboard', headers),
      await world.withToken('bad').get('/api/leaderboard', headers),
      await world.anonymous.get('/api/leaderboard?limit=0', headers),
      await world.anonymous.get('/api/leaderboard?cursor=x', headers),
      await world.anonymous.get('/api/leaderboard?around=me', headers),
      await world.anonymous.get('/api/packs/no-such-pack', headers),
      await world.anonymous.get('/api/teams?page=2', headers),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 422, 400, 401, 404, 422])
    for (const answer of refused) {
      expect(headersOf(answer)).toMatchObject({ etag: null, cacheControl: 'no-store' })
      expect(answer.body.code).toBeString()
    }
  })

  test('other answers have no ETag', async () => {
    for (const path of ['/api/user/points', '/api/user/profile', '/api/rewards'])
      expect((await fan.get(path, { 'if-none-match': '*' })).headers.get('etag')).toBeNull()
  })

  test('HEAD has the headers of GET and no body', async () => {
    for (const resource of resources) {
      const { path, client, cacheControl } = resource
      const whole = await client.get(path)
      const vary = varyOf(whole, resource)
      const authorization: Record<string, string> =
        client === fan ? { authorization: `Bearer ${fan.token}` } : {}
      const request = (more: Record<string, string> = {}) =>
        world.app.handle(
          new Request(`http://localhost${path}`, { method: 'HEAD', headers: { ...authorization, ...more } }),
        )
      const head = await request()
      expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
      const etag = whole.headers.get('etag')
      expect(head.headers.get('etag')).toBe(etag)
      expect([head.headers.get('cache-control'), head.headers.get('vary')]).toEqual([cacheControl, vary])
      const unchanged = await request({ 'if-none-match': etag ?? '' })
      expect([path, unchanged.status, await unchanged.text()]).toEqual([path, 304, ''])
    }
  })
})
