/** The page of /docs comes whole from this server, under a policy that lets nothing else in. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../src/app/app.ts'
import { readLink } from '../../../src/identity/staff/sessions/links.ts'
import { readConsoleConfig } from '../../../src/platform/config/console.ts'
import { createEnvironmentReader } from '../../../src/platform/config/environment.ts'
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

  test('the first page describes the server, and shows figures only in development', async () => {
    await world.grant(await world.fan(), 5)
    const pageOf = async (production: boolean) => {
      const app = createApp({ ...world.deps, config: { ...world.config, production } })
      return (await app.handle(new Request('http://localhost/'))).text()
    }
    const page = await pageOf(false)
    expect(page).toContain('<dt>Fans</dt><dd>1</dd>')
    for (const link of ['/docs', '/docs/guide/operations', '/docs/guide/first-steps', '/openapi.json'])
      expect(page).toContain(`href="${link}"`)
    expect(await pageOf(true)).not.toContain('<dt>')
  })

  test('a developer is signed in to the console from this machine, and nobody else is', async () => {
    const console = readConsoleConfig(createEnvironmentReader({ CONSOLE_PORT: '3100' }), 3000)
    const docs = { ...world.config.docs, demoFolder: mkdtempSync(join(tmpdir(), 'matchday-demo-')) }
    const open = async (
      production: boolean,
      headers: Record<string, string> = {},
      { host = 'localhost', method = 'GET' } = {},
    ) => {
      const app = createApp({ ...world.deps, config: { ...world.config, production, console, docs } })
      return app.handle(new Request(`http://${host}/see/club`, { headers, method }))
    }
    const here = await open(false, { 'sec-fetch-site': 'same-origin' })
    const link = here.headers.get('location') ?? ''
    expect([here.status, link]).toEqual([303, expect.stringMatching(/^http:\/\/localhost:3100\/sign-in#/)])
    const staff = await readLink(world.db.read, link.split('#')[1] ?? '')
    expect([staff.name, staff.role]).toEqual(['Developer', 'owner'])
    const refused = [
      await open(true),
      await open(false, { 'sec-fetch-site': 'cross-site' }),
      await open(false, {}, { host: 'rebound.example' }),
      await open(false, { 'x-forwarded-for': '203.0.113.9' }),
      await open(false, { via: '1.1 proxy' }),
      await open(false, { 'sec-purpose': 'prefetch' }),
      await open(false, {}, { method: 'HEAD' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404])
    rmSync(docs.demoFolder, { recursive: true })
  })

  test('a wrong address shows a page to a browser, and a problem to a program', async () => {
    const open = (path: string, accept: string) =>
      world.app.handle(new Request(`http://localhost${path}`, { headers: { accept } }))
    const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const page = await open('/rewards', BROWSER)
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const html = await page.text()
    expect(html).toContain('Did you mean /api/rewards?')
    for (const [, link = ''] of html.matchAll(/ (?:src|href)="([^"]*)"/g))
      expect((await get(link)).status, link).toBe(200)
    for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
      const problem = await open('/rewards', accept)
      expect([problem.status, problem.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    }
  })

  test.each(['/docs/json', '/openapi.json', '/docs/json?enums=open'])(
    '%s is 304 for a client that has it',
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
