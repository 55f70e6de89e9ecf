/** A page of the guide: Markdown as HTML, with its headings. */
import { dirname, join } from 'node:path'
import type { Addresses } from './addresses.ts'
import { highlight, nameOfLanguage } from './highlight.ts'

interface Heading {
  level: 2 | 3
  id: string
  /** HTML, without links. */
  text: string
}

export interface RenderedPage {
  title: string
  html: string
  headings: Heading[]
  /** Whether samples have places for the address of the server and for a token. */
  fills: boolean
}

/** What readers replace in samples, by what the page calls it. */
export const FILLS = { origin: 'http://localhost:3000', token: 'YOUR_TOKEN' }

export function renderMarkdown(markdown: string, file: string, addresses: Addresses): RenderedPage {
  const plain = withAnchors(Bun.markdown.html(markdown))
  const coded = renderTabs(plain).replace(CODE, renderCode)
  return {
    title: /^# (.+)$/m.exec(markdown)?.[1] ?? file,
    html: withLinks(coded, file, addresses),
    headings: readHeadings(plain),
    fills: coded.includes('class="tabs"'),
  }
}

const CODE = /<pre><code(?: class="language-([\w-]+)")?>([\s\S]*?)<\/code><\/pre>/g
/** Code blocks after the comment `<!-- tabs -->` are the same example in several languages. */
const TABS = /<!-- tabs -->\s*((?:<pre><code[\s\S]*?<\/code><\/pre>\s*)+)/g

const renderTabs = (html: string): string =>
  html.replace(TABS, (_, blocks: string) => {
    const panels = blocks.replace(CODE, (__, language: string, code: string) =>
      renderCode('', language, code, true),
    )
    return `<div class="tabs">${panels}</div>`
  })

function renderCode(_: string, language = 'text', escaped: string, sample: unknown = false): string {
  const inTabs = sample === true
  const code = highlight(unescapeHtml(escaped), language)
  const name = inTabs && language === 'sh' ? 'curl' : nameOfLanguage(language)
  return `<div class="code" data-name="${name}"><div class="bar"><span>${name}</span></div><pre tabindex="0"><code class="language-${language}">${inTabs ? withFills(code) : code}</code></pre></div>`
}

const withFills = (code: string): string =>
  Object.entries(FILLS).reduce(
    (text, [name, value]) => text.replaceAll(value, `<span data-fill="${name}">${value}</span>`),
    code,
  )

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }
export const unescapeHtml = (html: string): string =>
  html.replace(/&(?:lt|gt|quot|amp);/g, entity => ENTITIES[entity] ?? entity)

/** The ids of headings that GitHub gives them: `_` stays, and a repeated one is numbered. */
function withAnchors(html: string): string {
  const seen = new Map<string, number>()
  return html.replace(/<h([1-6])>([\s\S]*?)<\/h\1>/g, (_, level: string, text: string) => {
    const slug = unescapeHtml(text.replace(/<[^>]+>/g, ''))
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    const repeats = seen.get(slug) ?? 0
    seen.set(slug, repeats + 1)
    return `<h${level} id="${repeats === 0 ? slug : `${slug}-${repeats}`}">${text}</h${level}>`
  })
}

const readHeadings = (html: string): Heading[] =>
  [...html.matchAll(/<h([23]) id="([^"]+)">([\s\S]*?)<\/h\1>/g)].map(([, level, id = '', text = '']) => ({
    level: level === '2' ? 2 : 3,
    id,
    text: text.replace(/<\/?a\b[^>]*>/g, ''),
  }))

function withLinks(html: string, file: string, addresses: Addresses): string {
  return new HTMLRewriter()
    .on('a[href]', {
      element(link) {
        const href = linkOf(link.getAttribute('href') ?? '', file, addresses)
        if (href === null) link.removeAndKeepContent()
        else link.setAttribute('href', href)
      },
    })
    .on('img[src]', {
      element(picture) {
        const path = join(dirname(file), picture.getAttribute('src') ?? '')
        picture.setAttribute('src', addresses.base(file) + path)
      },
    })
    .on('h2[id], h3[id]', {
      element(heading) {
        const id = heading.getAttribute('id') ?? ''
        heading.append(`<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`, {
          html: true,
        })
      },
    })
    .on('table', {
      // Wide tables scroll by themselves, also with the keyboard.
      element(table) {
        table.before('<div class="scrolls" tabindex="0" role="region" aria-label="Table">', { html: true })
        table.after('</div>', { html: true })
      },
    })
    .transform(html)
}

/** Where a link of a page leads in the guide; null for files that the guide does not have. */
function linkOf(href: string, file: string, addresses: Addresses): string | null {
  if (/^(https?:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(file), path)
  if (target.startsWith('..') || !target.endsWith('.md')) return null
  return addresses.page(target, file) + (anchor === undefined ? '' : `#${anchor}`)
}
