/** The page of /docs comes whole from this server, under a policy that lets nothing else in. */
import { expect, test } from 'bun:test'
import { createApp } from '../../../src/app/app.ts'
import { assets } from '../../../src/platform/docs/page.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { ISSUER, onEngine } from '../../support/world.ts'

onEngine(sqliteEngine, 'the page of /docs', world => {
  const get = (path: string) => world.app.handle(new Request(`http://localhost${path}`))
  const policyOf = (response: Response) =>
    new Map(
      response.headers
        .get('content-security-policy')
        ?.split('; ')
        .map(directive => directive.split(/ (.*)/s) as [string, string]),
    )

  test('loads scripts, styles and images from this server only', async () => {
    const html = await (await get('/docs')).text()
    const links = [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? '')
    expect(links.length).toBeGreaterThan(5)
    for (const link of links) {
      expect(link).toMatch(/^\/(docs|openapi\.json$)/)
      expect((await get(link)).status, link).toBe(200)
    }
    expect(html).not.toMatch(/<style|<script>| style="| on[a-z]+="/)
  })

  test('the first page says what the server is, and shows figures in development only', async () => {
    await world.grant(await world.fan(), 5)
    const pageOf = async (production: boolean) => {
      const app = createApp({ ...world.deps, config: { ...world.config, production } })
      return (await app.handle(new Request('http://localhost/'))).text()
    }
    const page = await pageOf(false)
    expect(page).toContain('<dt>Fans</dt><dd>1</dd>')
    for (const link of ['/docs', '/docs/guide/operations', '/docs/guide/architecture', '/openapi.json'])
      expect(page).toContain(`href="${link}"`)
    expect(await pageOf(true)).not.toContain('<dt>')
  })

  test.each(['/docs/json', '/openapi.json', '/docs/json?enums=open'])(
    '%s is not sent again to a client that has it',
    async path => {
      const fetchWith = (headers: Record<string, string>) =>
        world.app.handle(new Request(`http://localhost${path}`, { headers }))
      const etags = new Set<string>()
      for (const coding of ['identity', 'gzip']) {
        const first = await fetchWith({ 'accept-encoding': coding })
        const etag = first.headers.get('etag') ?? ''
        expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[\w-]{20,}"$/)])
        etags.add(etag)
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await fetchWith({ 'accept-encoding': coding, 'if-none-match': known })
          expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
          expect(again.headers.get('vary')).toContain('Accept-Encoding')
        }
        expect((await fetchWith({ 'accept-encoding': coding, 'if-none-match': '"other"' })).status).toBe(200)
      }
      expect(etags.size).toBe(2)
    },
  )

  test('the ETag of the document with open enumerations is another one', async () => {
    const etagOf = async (path: string) => (await get(path)).headers.get('etag')
    expect(await etagOf('/docs/json?enums=open')).not.toBe(await etagOf('/docs/json'))
  })

  test('no file of /docs may be framed', async () => {
    for (const name of Object.keys(assets))
      expect(policyOf(await get(`/docs/${name}`)).get('frame-ancestors'), name).toBe("'none'")
  })

  test('links to the guide where the server has it', async () => {
    const linksOf = async (production: boolean) => {
      const app = createApp({ ...world.deps, config: { ...world.config, production } })
      return (await app.handle(new Request('http://localhost/docs'))).text()
    }
    expect(await linksOf(false)).toContain('<a href="/docs/guide">Guide</a>')
    expect(await linksOf(true)).not.toContain('/docs/guide')
  })

  test('comes with a policy without inline or foreign code, and speaks to the provider alone', async () => {
    const policy = policyOf(await get('/docs'))
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('script-src')).toBe("'self'")
    expect(policy.get('style-src')).toBe("'self'")
    expect(policy.get('connect-src')).toBe(`'self' ${ISSUER}`)
    expect(policy.get('frame-ancestors')).toBe("'none'")
  })

  test('may fetch tokens where the provider keeps its token endpoint, even on another origin', async () => {
    const endpoints = {
      ...(await world.deps.identity.endpoints()),
      token: 'https://tokens.example/oauth/token',
    }
    const identity = { ...world.deps.identity, endpoints: async () => endpoints as never }
    const app = createApp({ ...world.deps, identity })
    const policy = policyOf(await app.handle(new Request('http://localhost/docs')))
    expect(policy.get('connect-src')).toBe(`'self' ${ISSUER} https://tokens.example`)
  })

  test('serves each of its files with its media type, and nosniff', async () => {
    for (const [name, { type }] of Object.entries(assets)) {
      const response = await get(`/docs/${name}`)
      expect(response.status, name).toBe(200)
      expect(response.headers.get('content-type'), name).toBe(type)
      expect(response.headers.get('x-content-type-options'), name).toBe('nosniff')
      expect(policyOf(response).get('default-src'), name).toBe("'none'")
      expect((await response.arrayBuffer()).byteLength, name).toBeGreaterThan(50)
    }
  })

  test('writes the client id of the configuration as text, whatever is in it', async () => {
    const docs = { ...world.config.docs, clientId: '"><script>alert(1)</script>' }
    const app = createApp({ ...world.deps, config: { ...world.config, docs } })
    const html = await (await app.handle(new Request('http://localhost/docs'))).text()
    expect(html).toContain('data-client-id="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
  })

  test('is not served if the configuration disables it', async () => {
    const docs = { ...world.config.docs, enabled: false }
    const app = createApp({ ...world.deps, config: { ...world.config, docs } })
    for (const path of ['/docs', '/docs/json', '/docs/start.js'])
      expect((await app.handle(new Request(`http://localhost${path}`))).status, path).toBe(404)
  })
})
