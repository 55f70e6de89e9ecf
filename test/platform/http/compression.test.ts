/** gzip for public responses: negotiated, named by an ETag of its own, and never for a caller. */
import { expect, test } from 'bun:test'
import { acceptsGzip } from '../../../src/platform/http/edge/compression.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, type World } from '../../support/world.ts'

test.each([
  ['gzip', true],
  ['deflate, gzip;q=0.5', true],
  ['*', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['br', false],
  ['gzip;q=0, *', false],
  ['br;q=0, *', true],
  ['identity', false],
  ['', false],
])('Accept-Encoding: %s accepts gzip: %p', (value, accepted) => {
  expect(acceptsGzip(new Headers({ 'accept-encoding': value }))).toBe(accepted)
})

const ask = (world: World, path: string, headers: Record<string, string> = {}) =>
  world.app.handle(new Request(`http://localhost${path}`, { headers }))
const GZIP = { 'accept-encoding': 'gzip' }

onEngine(
  sqliteEngine,
  'Compression',
  world => {
    const PATHS = ['/api/teams', '/openapi.json', '/docs/json']

    test.each(PATHS)('%s is the same under gzip, and smaller', async path => {
      for (let n = 0; n < 20; n++) await world.team()
      for (const round of ['first', 'from memory']) {
        const plain = await ask(world, path)
        const text = await plain.text()
        const gzip = await ask(world, path, GZIP)
        const bytes = new Uint8Array(await gzip.arrayBuffer())
        expect([round, plain.headers.get('content-encoding')]).toEqual([round, null])
        expect([round, gzip.headers.get('content-encoding')]).toEqual([round, 'gzip'])
        expect(gzip.headers.get('content-type')).toBe('application/json')
        expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text)
        expect(bytes.length).toBeLessThan(text.length / 2)
        const vary =
          path === '/api/teams' ? 'Origin, Accept-Encoding, Accept-Language' : 'Origin, Accept-Encoding'
        for (const { headers } of [plain, gzip]) expect(headers.get('vary')).toBe(vary)
      }
    })

    test('each coding has an ETag, by which a client revalidates what it stored', async () => {
      for (let n = 0; n < 20; n++) await world.team()
      const tagOf = async (headers: Record<string, string>) =>
        (await ask(world, '/api/teams', headers)).headers.get('etag') ?? ''
      const [plain, gzip] = [await tagOf({}), await tagOf(GZIP)]
      expect(gzip).not.toBe(plain)
      const statusOf = async (tag: string, headers: Record<string, string>) =>
        (await ask(world, '/api/teams', { ...headers, 'if-none-match': tag })).status
      expect(await statusOf(gzip, GZIP)).toBe(304)
      expect(await statusOf(plain, {})).toBe(304)
      expect(await statusOf(plain, GZIP)).toBe(304)
      expect(await statusOf(gzip, {})).toBe(304)
      for (const tag of [`W/${plain}`, `W/${gzip}`, `"x", ${plain}`])
        expect([tag, await statusOf(tag, GZIP)]).toEqual([tag, 304])
      const changed = plain.replace(/..."$/, 'xyz"')
      expect(await statusOf(changed, GZIP)).toBe(200)
    })

    test('a response to a caller is not compressed', async () => {
      const { token } = await world.fan()
      for (const path of ['/api/rewards', '/api/dashboard', '/api/leaderboard']) {
        const response = await ask(world, path, { ...GZIP, authorization: `Bearer ${token}` })
        expect([path, response.status, response.headers.get('content-encoding')]).toEqual([path, 200, null])
      }
    })
  },
  { env: { CORS_ORIGINS: 'https://fans.example' } },
)
