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

/** The API of development, as the pages call it. */
const API = 'http://localhost:3000'
/** What readers replace by a token, in samples. */
export const TOKEN = 'YOUR_TOKEN'

/** What a rendered page calls the servers. */
export interface Servers {
  /** In samples. */
  api: string
  /** Also in sessions and links, which are about development: what `bun run dev` serves here. */
  development?: { api: string; provider: string }
}

export const defaultServers: Servers = { api: API }

export function renderMarkdown(
  markdown: string,
  file: string,
  addresses: Addresses,
  servers = defaultServers,
): RenderedPage {
  const plain = withAnchors(Bun.markdown.html(markdown))
  const coded = renderTabs(plain, servers).replace(CODE, (_, language = 'text', code: string) => {
    const text = unescapeHtml(code)
    // What workflows in YAML start has the ports by default.
    const shown = language === 'yaml' ? text : atServers(text, servers)
    return layOutCode(nameOfLanguage(language), language, highlight(shown, language))
  })
  return {
    title: /^# (.+)$/m.exec(markdown)?.[1] ?? file,
    html: withLinks(coded, file, addresses, servers),
    headings: readHeadings(plain),
    fills: coded.includes('class="tabs"'),
  }
}

const CODE = /<pre><code(?: class="language-([\w-]+)")?>([\s\S]*?)<\/code><\/pre>/g
/** Code blocks after the comment `<!-- tabs -->` are the same example in several languages. */
const TABS = /<!-- tabs -->\s*((?:<pre><code[\s\S]*?<\/code><\/pre>\s*)+)/g

const renderTabs = (html: string, { api }: Servers): string =>
  html.replace(TABS, (_, blocks: string) => {
    const panels = blocks.replace(CODE, (__, language: string, code: string) =>
      renderSample(language, code, api),
    )
    return `<div class="tabs">${panels}</div>`
  })

const renderSample = (language: string, escaped: string, api: string) =>
  layOutCode(
    language === 'sh' ? 'curl' : nameOfLanguage(language),
    language,
    withFills(highlight(unescapeHtml(escaped), language), api),
  )

const layOutCode = (name: string, language: string, code: string) =>
  `<div class="code" data-name="${name}"><div class="bar"><span>${name}</span></div><pre tabindex="0"><code class="language-${language}">${code}</code></pre></div>`

const withFills = (code: string, api: string): string =>
  code
    .replaceAll(API, `<span data-fill="origin">${Bun.escapeHTML(api)}</span>`)
    .replaceAll(TOKEN, `<span data-fill="token">${TOKEN}</span>`)

/** The text with the addresses of the servers that development has here, with or without their scheme. */
function atServers(text: string, { development }: Servers): string {
  if (!development) return text
  const here = { 3000: development.api, 4000: development.provider }
  return text.replace(
    /(http:\/\/)?localhost:(3000|4000)/g,
    (_, scheme: string | undefined, port: '3000' | '4000') => {
      const address = here[port]
      return scheme ? address : address.replace('http://', '')
    },
  )
}

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

function withLinks(html: string, file: string, addresses: Addresses, servers: Servers): string {
  return new HTMLRewriter()
    .on('a[href]', {
      element(link) {
        const href = linkOf(link.getAttribute('href') ?? '', file, addresses)
        if (href === null) link.removeAndKeepContent()
        else link.setAttribute('href', atServers(href, servers))
      },
      text(text) {
        text.replace(atServers(text.text, servers))
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
