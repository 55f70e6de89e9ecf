/** Headers of every response, and headers that keep personal responses out of caches. */
import { expect, test } from 'bun:test'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, type World } from '../../support/world.ts'
import { isProtected, operationsOf, readDocument } from '../docs/document.ts'

const PATHS = [
  '/healthz',
  '/api/teams',
  '/api/rewards',
  '/api/nothing',
  '/docs/json',
  '/docs',
  '/docs/start.js',
]

/** In addition to the document, which says nothing of /docs. */
const get = ({ app }: World, path: string) => app.handle(new Request(`http://localhost${path}`))

onEngine(sqliteEngine, 'security headers', world => {
  test('every response forbids sniffing, referrers and framing, with any status', async () => {
    for (const path of PATHS) {
      const { headers } = await get(world, path)
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
      expect([path, headers.get('referrer-policy')]).toEqual([path, 'no-referrer'])
      expect(headers.get('content-security-policy'), path).toStartWith("default-src 'none'; ")
      expect(headers.get('strict-transport-security')).toBeNull()
    }
    const refused = await world.anonymous.post('/api/rewards/claim', { rewardId: 'x' })
    expect(refused.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  test('only /docs and its files have a policy of their own', async () => {
    for (const path of PATHS) {
      const policy = (await get(world, path)).headers.get('content-security-policy')
      const own = path.startsWith('/docs')
      expect([path, policy === "default-src 'none'; frame-ancestors 'none'"]).toEqual([path, !own])
    }
  })

  test('a personal answer is no-store unless its operation says otherwise; a public one is not', async () => {
    const fan = await world.fan()
    const operations = operationsOf(await readDocument(world)).filter(({ method }) => method === 'GET')
    const personal = operations.filter(isProtected)
    expect(personal.length).toBeGreaterThan(4)
    for (const { path } of personal) {
      const control = (await fan.get(path)).headers.get('cache-control')
      expect(control, path).toMatch(/no-store|private/)
    }
    expect((await world.anonymous.get('/api/packs')).headers.get('cache-control')).toMatch(/^public/)
  })

  test('responses to writes are no-store as well', async () => {
    const fan = await world.fan()
    for (const answer of [
      await fan.post('/api/user/onboarding', {}),
      await fan.patch('/api/user/profile', {}),
    ])
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })
})

onEngine(
  sqliteEngine,
  'behind TLS',
  world => {
    test('every response has Strict-Transport-Security if HSTS_MAX_AGE is set', async () => {
      for (const path of PATHS) {
        const { headers } = await get(world, path)
        expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000'])
      }
    })
  },
  { env: { HSTS_MAX_AGE: '31536000' } },
)
