/** `/docs/guide` serves docs/ in development; every link of it leads somewhere. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import MiniSearch from 'minisearch'
import { createApp } from '../../../src/app/app.ts'
import { problemTypes } from '../../../src/app/problem-types.ts'
import { pagesInOrder, readContents } from '../../../src/platform/docs/guide/contents.ts'
import { root } from '../../support/dev.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const pages = [...new Glob('**/*.md').scanSync(join(root, 'docs'))].map(file => {
  const name = file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')
  return name === '' ? '/docs/guide' : `/docs/guide/${name}`
})

/** The script sets a string that holds the index. */
const readIndex = (script: string): string => JSON.parse(script.slice(script.indexOf('= ') + 2))

onEngine(sqliteEngine, 'the guide', world => {
  const get = (path: string) => world.app.handle(new Request(`http://localhost${path}`))

  test.each(pages)('serves %s as a page with scripts and styles of this server alone', async path => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    const html = await response.text()
    expect(html).toMatch(/<title>[^<]+ · Matchday<\/title>/)
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html).not.toMatch(/<script>|<style| style="| on[a-z]+="/)
  })

  /** Targets of links, each read once: every page links to every other. */
  const targets = new Map<string, Promise<{ status: number; text: string }>>()
  const read = async (path: string) => {
    const response = await get(path)
    return { status: response.status, text: await response.text() }
  }
  const readOnce = (path: string) => {
    const target = targets.get(path) ?? read(path)
    targets.set(path, target)
    return target
  }

  test.each(pages)('every link of %s leads to a page and a heading', async path => {
    const { text: html } = await readOnce(path)
    const links = [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? '')
    const own = links.filter(link => !/^https?:/.test(link))
    expect(own.length).toBeGreaterThan(4)
    for (const link of new Set(own)) {
      const [target = '', anchor] = link.split('#')
      const { status, text } = await readOnce(target === '' ? path : target)
      expect({ link, status }).toEqual({ link, status: 200 })
      if (anchor) expect(text, link).toContain(` id="${anchor}"`)
    }
  })

  test('lists all pages in every page, marks the current one, and leads to the next', async () => {
    const html = await (await get('/docs/guide/clients')).text()
    for (const path of pages.filter(page => !/\/providers\/|guide$/.test(page)))
      expect(html, path).toContain(`href="${path}"`)
    expect(html).toContain('<a href="/docs/guide/clients" aria-current="page">Clients</a>')
    expect(html).toContain('<a href="#typescript">TypeScript</a>')
    expect(html).toMatch(/<a rel="prev" href="\/docs\/guide\/tour">/)
    expect(html).toMatch(/<a rel="next" href="\/docs\/guide\/api-conventions">/)
  })

  test('colours code by classes, and marks the commands of a session for copying', async () => {
    const html = await (await get('/docs/guide/first-steps')).text()
    expect(html).toContain('<span class="hljs-keyword">import</span>')
    expect(html).toMatch(/<span class="prompt">\$ <\/span><span class="command">/)
    expect(html.match(/<div class="tabs">/g)).toHaveLength(5)
    const samples = html.match(/<div class="code" data-name="(curl|TypeScript|Swift|Kotlin)">/g)
    expect(samples).toHaveLength(20)
    expect(html.match(/<span data-fill="token">YOUR_TOKEN<\/span>/g)).toHaveLength(20)
    expect(html.match(/<span data-fill="origin">http:\/\/localhost<\/span>/g)).toHaveLength(20)
  })

  test('its examples name the server that serves the page, and its identity provider', async () => {
    const config = {
      ...world.deps.config,
      identity: { ...world.deps.config.identity, issuer: 'http://localhost:4055' },
    }
    const read = async (page: string, app = createApp({ ...world.deps, config })) =>
      (await app.handle(new Request(`http://fans.local:5123/docs/guide/${page}`))).text()
    const steps = await read('first-steps')
    expect(steps.match(/<span data-fill="origin">http:\/\/fans\.local:5123<\/span>/g)).toHaveLength(20)
    expect(steps).toContain('<input name="origin" type="url" value="http://fans.local:5123"')
    expect(steps).toContain('curl -s fans.local:5123/api/rewards')
    expect(steps).toContain('<a href="http://fans.local:5123">http://fans.local:5123</a>')
    expect(steps).toContain('<a href="http://localhost:4055">http://localhost:4055</a>')
    expect(steps).not.toMatch(/localhost:(3000|4000)/)
    // Its host is that of this request: no cache keeps it for others.
    expect((await get('/docs/guide/first-steps')).headers.get('cache-control')).toBe('private, no-cache')
    // What a workflow starts has the ports by default, and a setting has its default.
    expect(await read('recipes/ci')).toContain('http://localhost:3000/readyz')
    expect(await read('configuration')).toContain('<code>http://localhost:4000</code>')

    const docs = { ...config.docs, publicUrl: 'https://api.club.example/fans' }
    const behindProxy = await read('first-steps', createApp({ ...world.deps, config: { ...config, docs } }))
    expect(behindProxy).toContain('<span data-fill="origin">https://api.club.example/fans</span>')
    expect(behindProxy).toContain('curl -s https://api.club.example/fans/api/rewards')
  })

  test('has an index that finds passages, also for a part of a word and a typing error', async () => {
    const response = await get('/docs/guide/search-index.js')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const index = MiniSearch.loadJSON(readIndex(await response.text()), {
      fields: ['page', 'heading', 'keywords', 'text'],
    })
    const find = (words: string) => index.search(words, { prefix: true, fuzzy: 0.2 }).map(({ id }) => id)
    expect(find('idempotency')[0]).toBe('api-conventions#idempotency')
    expect(find('insufficient_points')).toContain('problems#insufficient_points')
    expect(find('verify led')).toContainEqual(expect.stringMatching(/^fan-data/))
    expect(find('prometeus')).toContainEqual(expect.stringMatching(/^observability/))
    expect(index.search('xylophone')).toEqual([])
    // Features that do not exist link to the alternative.
    for (const [words, pages] of [
      ['push', ['push']],
      ['push notifications', ['push']],
      ['analytics', ['scope', 'event-sink']],
      ['graphql', ['scope', 'clients']],
    ] as const)
      for (const page of pages)
        expect(
          find(words)
            .slice(0, 5)
            .map(id => id.split('#')[0]),
          words,
        ).toContain(page)
    for (const { id } of index.search('fan'))
      expect((await get(`/docs/guide/${id.split('#')[0]}`)).status).toBe(200)
  })

  test('is listed for programs at /llms.txt, whose links lead to Markdown', async () => {
    const response = await get('/llms.txt')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    expect(await (await get('/docs/llms.txt')).text()).toBe(text)
    expect(text).toStartWith('# Matchday\n\n> Matchday is an open backend for sports-fan apps')
    expect(text).toContain(
      '\n## Start\n\n- [First steps](http://localhost/docs/guide/first-steps.md): a first reward',
    )
    const links = [...text.matchAll(/\]\((http:\/\/localhost[^)]+)\)/g)].map(([, link = '']) => link)
    expect(links).toHaveLength(pagesInOrder(readContents()).length)
    for (const link of links) {
      const page = await get(link.replace('http://localhost', ''))
      expect([link, page.status]).toEqual([link, 200])
      if (link.endsWith('.md')) {
        expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
        expect(await page.text()).toStartWith('# ')
      }
    }
  })

  test('explains each problem type at an anchor of its code', async () => {
    const html = await (await get('/docs/guide/problems')).text()
    for (const code of Object.keys(problemTypes)) expect(html).toContain(`<h3 id="${code}">`)
  })

  test('answers a mistyped address with a page that leads back', async () => {
    const response = await get('/docs/guide/operatoins')
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('<a href="/docs/guide">All pages</a>')
    for (const path of ['README', '..%2FREADME', '..%2FREADME.md', 'floors', 'providers/missing.md'])
      expect((await get(`/docs/guide/${path}`)).status, path).toBe(404)
  })

  test('is not served in production, also where the reference is', async () => {
    const config = { ...world.deps.config, production: true }
    const app = createApp({ ...world.deps, config })
    const status = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).status
    expect(await status('/docs')).toBe(200)
    for (const path of pages) expect(await status(path), path).toBe(404)
  })
})
