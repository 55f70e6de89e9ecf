/** `/docs/guide`: the pages of the folder docs/ as HTML, with their pictures, in development. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { htmlPage, TEXT_POLICY } from './html-page.ts'
import { pageResponse } from './page-response.ts'

const folder = join(import.meta.dir, '../../../docs')
const ROOT = '/docs/guide'
/** Pictures have styles for light and dark. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** Reads a page at each request, so that an edit shows without a restart. */
export function guideRoutes() {
  const routes = new Elysia({ name: 'matchday/guide' })
  for (const file of new Glob('**/*.md').scanSync(folder)) {
    routes.get(pathOf(file), () => pageResponse(renderPage(file), 'text/html; charset=utf-8', TEXT_POLICY), {
      detail: { hide: true },
      query: Closed({}),
    })
  }
  for (const picture of new Glob('**/*.svg').scanSync(folder)) {
    routes.get(
      `${ROOT}/${picture}`,
      () => pageResponse(Bun.file(join(folder, picture)), 'image/svg+xml', PICTURE_POLICY),
      {
        detail: { hide: true },
        query: Closed({}),
      },
    )
  }
  return routes.get(
    `${ROOT}/*`,
    () => {
      const response = pageResponse(renderMissing(), 'text/html; charset=utf-8', TEXT_POLICY)
      return new Response(response.body, { status: 404, headers: response.headers })
    },
    { detail: { hide: true }, query: Closed({}) },
  )
}

const LINKS = [
  { path: ROOT, text: 'All pages' },
  { path: '/docs', text: 'API reference' },
]

const renderMissing = () =>
  htmlPage({
    title: 'No such page',
    styles: ['/docs/text.css'],
    home: ROOT,
    links: LINKS,
    content: `<main class="text">
<h1>There is no such page</h1>
<p>The address may be mistyped, or the page has moved. <a href="${ROOT}">All pages</a> lists what the guide has.</p>
</main>`,
  })

/** `providers/auth0.md` is at /docs/guide/providers/auth0; README.md is the page of its folder. */
function pathOf(file: string): string {
  const name = file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')
  return name === '' ? ROOT : `${ROOT}/${name}`
}

function renderPage(file: string): string {
  const markdown = readFileSync(join(folder, file), 'utf8')
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file
  return htmlPage({
    title,
    styles: ['/docs/text.css'],
    home: ROOT,
    links: LINKS,
    content: `<main class="text">
${renderMarkdown(markdown, file)}
</main>`,
  })
}

function renderMarkdown(markdown: string, file: string): string {
  const html = Bun.markdown.html(markdown, { headings: { ids: true } })
  return new HTMLRewriter()
    .on('a[href]', {
      element(link) {
        const href = linkOf(link.getAttribute('href') ?? '', file)
        if (href === null) link.removeAndKeepContent()
        else link.setAttribute('href', href)
      },
    })
    .on('img[src]', {
      element(picture) {
        picture.setAttribute('src', `${ROOT}/${join(dirname(file), picture.getAttribute('src') ?? '')}`)
      },
    })
    .on('table', {
      // Wide tables and code scroll by themselves, also with the keyboard.
      element(table) {
        table.before('<div class="scrolls" tabindex="0" role="region" aria-label="Table">', { html: true })
        table.after('</div>', { html: true })
      },
    })
    .on('pre', {
      element(code) {
        code.setAttribute('tabindex', '0')
      },
    })
    .transform(html)
}

/** Where a link of a page leads in the guide; null for files that it does not serve. */
function linkOf(href: string, file: string): string | null {
  if (/^(https?:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(file), path)
  if (target.startsWith('..') || !target.endsWith('.md')) return null
  return pathOf(target) + (anchor === undefined ? '' : `#${anchor}`)
}
