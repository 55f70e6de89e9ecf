/** The index of the guide's search, which is built here so that the browser only reads it. */
import MiniSearch from 'minisearch'
import type { Addresses } from './addresses.ts'
import { INDEX, pagesInOrder, readContents, readPage } from './contents.ts'
import { renderMarkdown, unescapeHtml } from './markdown.ts'

const EXCERPT_LENGTH = 140

interface Passage {
  /** The page and the heading, below the base of the addresses. */
  id: string
  page: string
  heading: string
  /** What readers call it: those of the comment `<!-- search: … -->` below the heading. */
  keywords: string
  text: string
  excerpt: string
}

/** A script: pages that are opened from a folder may load scripts, and cannot fetch. */
export function renderSearchIndex(addresses: Addresses): string {
  const index = new MiniSearch<Passage>({
    fields: ['page', 'heading', 'keywords', 'text'],
    storeFields: ['page', 'heading', 'excerpt'],
  })
  for (const { file } of pagesInOrder(readContents()))
    if (file !== INDEX) index.addAll(readPassages(file, addresses))
  return `globalThis.guideIndex = ${JSON.stringify(JSON.stringify(index))}\n`
}

/** A passage for each heading of the page. */
function readPassages(file: string, addresses: Addresses): Passage[] {
  const { title, html } = renderMarkdown(readPage(file), file, addresses)
  const path = addresses.name(file)
  return html.split(/(?=<h[23] id=")/).map(part => {
    const [, id, heading = ''] = /^<h[23] id="([^"]+)">([\s\S]*?)<a class="anchor"/.exec(part) ?? []
    const [, keywords = ''] = /<!-- search: (.+?) -->/.exec(part) ?? []
    const text = textOf(part.replace(/^<h[1-3][\s\S]*?<\/h[1-3]>/, ''))
    return {
      id: id === undefined ? path : `${path}#${id}`,
      page: textOf(title).replaceAll('`', ''),
      heading: textOf(heading),
      keywords,
      text,
      excerpt:
        text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH).replace(/\s\S*$/, '')} …` : text,
    }
  })
}

const textOf = (html: string): string =>
  unescapeHtml(
    html
      .replace(/<div class="bar">.*?<\/div>/g, ' ')
      .replace(/<\/?(?:a|code|em|span|strong)\b[^>]*>/g, '')
      .replace(/<[^>]+>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim()
