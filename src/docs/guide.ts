/** `/docs/guide`: the pages of the folder docs/ as HTML, in development. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { Elysia } from 'elysia'
import { Closed } from '../core/schemas.ts'
import { pageResponse } from './page-response.ts'

const folder = join(import.meta.dir, '../../docs')
const ROOT = '/docs/guide'

/** Pages run no script: this origin's styles and images alone. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Reads a page at each request, so that an edit shows without a restart. */
export function guideRoutes() {
  const routes = new Elysia({ name: 'matchday/guide' })
  for (const file of new Glob('**/*.md').scanSync(folder)) {
    routes.get(pathOf(file), () => pageResponse(renderPage(file), 'text/html; charset=utf-8', POLICY), {
      detail: { hide: true },
      query: Closed({}),
    })
  }
  const styles = Bun.file(join(import.meta.dir, 'assets/guide.css'))
  return routes.get(`${ROOT}/guide.css`, () => pageResponse(styles, 'text/css; charset=utf-8'), {
    detail: { hide: true },
  })
}

/** `providers/auth0.md` is at /docs/guide/providers/auth0; README.md is the page of its folder. */
function pathOf(file: string): string {
  const name = file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')
  return name === '' ? ROOT : `${ROOT}/${name}`
}

function renderPage(file: string): string {
  const markdown = readFileSync(join(folder, file), 'utf8')
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)} · Matchday</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/matchday.css">
<link rel="stylesheet" href="${ROOT}/guide.css">
</head>
<body>
<header class="matchday">
<div>
<a class="wordmark" href="${ROOT}"><img src="/docs/icon.svg" alt="" width="32" height="32">Matchday</a>
<nav aria-label="Documentation"><a href="${ROOT}">All pages</a> <a href="/docs">API reference</a></nav>
</div>
</header>
<main class="guide">
${renderMarkdown(markdown, file)}
</main>
</body>
</html>
`
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
