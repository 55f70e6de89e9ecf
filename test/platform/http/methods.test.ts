/** Which paths are 404, and which 405 with the methods that they take. */
import { expect, test } from 'bun:test'
import { refusal } from '../../play/packs/packs-world.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

onEngine(sqliteEngine, 'Paths and methods', world => {
  test.each([
    { method: 'GET', path: '/api/packs/purchase', allow: 'OPTIONS, POST, PUT' },
    { method: 'GET', path: '/api/packs/open', allow: 'OPTIONS, POST' },
    { method: 'HEAD', path: '/api/packs/open', allow: 'OPTIONS, POST' },
    { method: 'DELETE', path: '/api/packs/purchases', allow: 'GET, HEAD, OPTIONS' },
    { method: 'POST', path: '/api/packs/some-pack', allow: 'GET, HEAD, OPTIONS' },
    { method: 'GET', path: '/api/user', allow: 'DELETE, OPTIONS' },
  ])('$method $path is 405', async ({ method, path, allow }) => {
    const response = await world.app.handle(new Request(`http://localhost${path}`, { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
  })

  test.each(['/docs/', '/api/packs/', '/api/rewards/claim/', '/api/x/y/packs', '/api//packs'])(
    'GET %s is 404',
    async path => {
      expect(refusal(await world.anonymous.get(path))).toEqual([404, 'not_found'])
    },
  )

  test('GET / links to what can be read, and /openapi.json is the document', async () => {
    const get = (path: string) => world.app.handle(new Request(`http://localhost${path}`))
    const html = await (await get('/')).text()
    const links = [...html.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
    for (const link of ['/docs', '/docs/guide', '/openapi.json', '/healthz', '/readyz'])
      expect(links).toContain(link)
    expect(links).not.toContain('/demo')
    for (const link of links) expect((await get(link)).status, link).not.toBe(404)
    expect(await (await get('/openapi.json')).json()).toEqual(await (await get('/docs/json')).json())
  })

  test('a pack is still found by its id', async () => {
    expect(refusal(await world.anonymous.get('/api/packs/unknown'))).toEqual([404, 'pack_not_found'])
  })
})
