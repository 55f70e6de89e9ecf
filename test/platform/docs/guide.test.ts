/** `/docs/guide` serves docs/ in development; every link of it leads somewhere. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { createApp } from '../../../src/app/app.ts'
import { root } from '../../support/dev.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const pages = [...new Glob('**/*.md').scanSync(join(root, 'docs'))].map(file => {
  const name = file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')
  return name === '' ? '/docs/guide' : `/docs/guide/${name}`
})

onEngine(sqliteEngine, 'the guide', world => {
  const get = (path: string) => world.app.handle(new Request(`http://localhost${path}`))

  test.each(pages)('serves %s as a page without scripts', async path => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    const html = await response.text()
    expect(html).toMatch(/<title>[^<]+ · Matchday<\/title>/)
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html).not.toMatch(/<script|<style| style="| on[a-z]+="/)
  })

  test.each(pages)('every link of %s leads to a page and a heading', async path => {
    const html = await (await get(path)).text()
    const links = [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? '')
    const own = links.filter(link => !/^https?:/.test(link))
    expect(own.length).toBeGreaterThan(4)
    for (const link of new Set(own)) {
      const [target = '', anchor] = link.split('#')
      const response = await get(target === '' ? path : target)
      expect({ link, status: response.status }).toEqual({ link, status: 200 })
      if (anchor) expect(await response.text(), link).toContain(` id="${anchor}"`)
    }
  })

  test('answers a mistyped address with a page that leads back', async () => {
    const response = await get('/docs/guide/operatoins')
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('<a href="/docs/guide">All pages</a>')
  })

  test('is not served in production, also where the reference is', async () => {
    const config = { ...world.deps.config, production: true }
    const app = createApp({ ...world.deps, config })
    const status = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).status
    expect(await status('/docs')).toBe(200)
    for (const path of pages) expect(await status(path), path).toBe(404)
  })
})
