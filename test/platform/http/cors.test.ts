/** Browsers' pages of other origins, by an allow-list that is empty unless it is set. */
import { expect, test } from 'bun:test'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine, type World } from '../../support/world.ts'
import { operationsOf, readDocument } from '../docs/document.ts'

const APP = 'https://app.example.com'
const OTHER = 'https://evil.example'

const corsOf = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter(name => name.startsWith('access-control-')).toSorted()

const preflight = (world: World, path: string, origin: string, method = 'POST') =>
  world.anonymous.send(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method },
  })

onEngine(sqliteEngine, 'OPTIONS without CORS', world => {
  test('every operation’s path answers OPTIONS with 204, the methods that it takes, and nothing of CORS', async () => {
    const operations = operationsOf(await readDocument(world))
    for (const { name, method, path } of operations) {
      const answer = await preflight(world, path.replace(/\{[^}]+\}/g, 'some-id'), APP)
      expect([name, answer.status, answer.body]).toEqual([name, 204, undefined])
      expect(answer.headers.get('allow')?.split(', '), name).toEqual(
        expect.arrayContaining([method, 'OPTIONS']),
      )
      expect([name, corsOf(answer), answer.headers.get('vary')]).toEqual([name, [], null])
    }
  })

  test('an unknown path is 404 for OPTIONS as well', async () => {
    expect((await preflight(world, '/api/nothing', APP)).body.code).toBe('not_found')
  })

  test('a response to a page of another origin has no CORS headers, so that the browser withholds it', async () => {
    expect(corsOf(await world.anonymous.get('/api/teams', { origin: APP }))).toEqual([])
  })
})

onEngine(
  sqliteEngine,
  'CORS by allow-list',
  world => {
    test('a preflight of an allowed origin returns methods and headers, for two hours', async () => {
      const { status, headers } = await preflight(world, '/api/rewards/claim', APP)
      expect(status).toBe(204)
      expect(headers.get('access-control-allow-origin')).toBe(APP)
      expect(headers.get('access-control-allow-methods')).toBe('OPTIONS, POST')
      expect(headers.get('access-control-allow-headers')).toContain('Idempotency-Key')
      expect(headers.get('access-control-max-age')).toBe('7200')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('vary')).toBe(
        'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      )
    })

    test('responses that also depend on the caller name both in Vary', async () => {
      const { headers } = await world.anonymous.get('/api/leaderboard', { origin: APP })
      expect(headers.get('vary')).toBe('Origin, Authorization')
    })

    test('an allowed origin may read responses of success and refusal, and the headers that clients need', async () => {
      for (const path of ['/api/teams', '/api/rewards', '/api/nothing', '/api/teams?x=1']) {
        const { headers } = await world.anonymous.get(path, { origin: APP })
        expect([path, headers.get('access-control-allow-origin')]).toEqual([path, APP])
        expect(headers.get('vary'), path).toBe(path === '/api/teams' ? 'Origin, Accept-Language' : 'Origin')
        const exposed = headers.get('access-control-expose-headers')?.split(', ')
        for (const name of ['ETag', 'X-Request-Id', 'Retry-After', 'RateLimit', 'WWW-Authenticate'])
          expect(exposed, path).toContain(name)
      }
    })

    test('any other origin gets no CORS headers, also if it is similar to an allowed one', async () => {
      for (const origin of [
        OTHER,
        'null',
        '*',
        'https://app.example.com.evil.example',
        'http://app.example.com',
        'https://APP.example.com',
        'https://app.example.com:444',
        'https://sub.app.example.com',
      ]) {
        for (const answer of [
          await world.anonymous.get('/api/teams', { origin }),
          await preflight(world, '/api/rewards/claim', origin),
        ]) {
          expect([origin, corsOf(answer)]).toEqual([origin, []])
          // A cache must not hand this answer to a page that is allowed.
          expect(answer.headers.get('vary')).toStartWith('Origin')
        }
      }
    })
  },
  { env: { CORS_ORIGINS: `${APP}, https://admin.example.com` } },
)

onEngine(
  sqliteEngine,
  'CORS in development',
  world => {
    test.each(['http://localhost:5173', 'http://127.0.0.1:8081', 'https://localhost', 'http://[::1]:3000'])(
      'pages of %s may call without a setting',
      async origin => {
        const response = await world.anonymous.get('/api/teams', { origin })
        expect(response.headers.get('access-control-allow-origin')).toBe(origin)
        const allowed = await preflight(world, '/api/rewards/claim', origin)
        expect(allowed.headers.get('access-control-allow-headers')).toContain('Authorization')
      },
    )

    test.each([OTHER, 'http://localhost.evil.example', 'http://evil.example:3000/localhost', 'null'])(
      'a preflight from %s is refused, and the log says so',
      async origin => {
        const before = world.logged.length
        expect(corsOf(await preflight(world, '/api/rewards/claim', origin))).toEqual([])
        const lines = world.logged.slice(before).filter(line => line.includes('CORS_ORIGINS'))
        expect(lines).toHaveLength(1)
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({ origin, path: '/api/rewards/claim' })
      },
    )
  },
  { env: { NODE_ENV: 'development' } },
)

onEngine(
  sqliteEngine,
  'Refused preflights in the log',
  world => {
    const refused = () =>
      world.logged.map(line => JSON.parse(line)).filter(({ msg }) => msg.includes('preflight'))

    test('an Origin is cut to 200 characters, and a flood of preflights shares one line a second', async () => {
      const origin = `https://${'x'.repeat(5_000)}.example`
      await preflight(world, '/api/redemptions/ABCD-EFGH-JKMN-PQR5/use', origin)
      expect(refused()).toMatchObject([
        { origin: origin.slice(0, 200), path: '/api/redemptions/:code/use', level: 40 },
      ])
      for (let n = 0; n < 100; n++) await preflight(world, '/api/rewards/claim', `https://${n}.example`)
      const unlogged = () => refused().reduce((sum, { count = 0 }) => sum + count, 0)
      const own = () => refused().filter(line => 'origin' in line)
      await waitUntil('the flood is counted', () => own().length + unlogged() === 101)
      expect(own().length).toBeLessThanOrEqual(10)
    })
  },
  { env: { NODE_ENV: 'development' } },
)
