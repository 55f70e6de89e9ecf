/** A page of the guide: its text between the list of all pages and its own contents. */
import { htmlPage } from '../html-page.ts'
import { type Addresses, SEARCH_INDEX } from './addresses.ts'
import { type Entry, INDEX, pagesInOrder, readContents, readPage, type Section } from './contents.ts'
import { defaultServers, type RenderedPage, renderMarkdown, type Servers, TOKEN } from './markdown.ts'

/** Reads the page and the order of pages at each call, so that an edit shows without a restart. */
export function renderGuidePage(file: string, addresses: Addresses, servers = defaultServers): string {
  const sections = readContents()
  const page = renderMarkdown(readPage(file), file, addresses, servers)
  const order = pagesInOrder(sections)
  const place = order.findIndex(entry => entry.file === file)
  return layOut(sections, file, addresses, {
    title: file === INDEX ? 'Documentation' : page.title,
    description: order[place]?.about ?? '',
    contents: page.headings.length > 1 ? renderHeadings(page) : '',
    main: `${page.fills ? withForm(page.html, servers) : page.html}
${renderNeighbours(order[place - 1], place < 0 ? undefined : order[place + 1], file, addresses)}`,
  })
}

export const renderMissing = (addresses: Addresses): string =>
  layOut(readContents(), '', addresses, {
    title: 'No such page',
    description: '',
    contents: '',
    main: `<h1>There is no such page</h1>
<p>The address may be mistyped, or the page has moved. <a href="${addresses.page(INDEX, INDEX)}">All pages</a> lists what the guide has.</p>`,
  })

interface Parts {
  title: string
  description: string
  /** The headings of the page as HTML, if it has several. */
  contents: string
  main: string
}

const layOut = (sections: Section[], file: string, addresses: Addresses, parts: Parts): string =>
  htmlPage({
    title: parts.title,
    description: parts.description,
    asset: name => addresses.asset(name, file),
    styles: ['text.css', 'guide.css'],
    scripts: ['guide.js'],
    home: addresses.page(INDEX, file),
    tools: renderSearch(addresses, file),
    links: addresses.links(file),
    content: `<div class="guide">
<div class="jump">
<button type="button" popovertarget="pages">All pages</button>
${parts.contents === '' ? '' : '<button type="button" popovertarget="contents">On this page</button>'}
</div>
<nav id="pages" class="pages" popover aria-label="All pages">
${sections.map(section => renderSection(section, file, addresses)).join('\n')}
</nav>
<main class="text" id="text" tabindex="-1">
${parts.main}
</main>
${parts.contents}
</div>`,
  })

/** The script that brings the search shows the field. */
const renderSearch = (addresses: Addresses, file: string) => `<search class="search" hidden
 data-library="${addresses.asset('minisearch.js', file)}" data-index="${addresses.asset(SEARCH_INDEX, file)}"
 data-base="${addresses.base(file)}">
<input type="search" placeholder="Search" aria-label="Search the documentation" role="combobox" aria-expanded="false"
 aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div class="found" hidden><div id="found" role="listbox" aria-label="Pages found"></div><p role="status"></p></div>
</search>`

const renderSection = ({ title, pages }: Section, file: string, addresses: Addresses): string =>
  `<h2>${Bun.escapeHTML(title)}</h2>
${renderPages(pages, file, addresses)}`

const renderPages = (pages: Entry[], file: string, addresses: Addresses): string =>
  `<ul>${pages
    .map(page => {
      const current = page.file === file ? ' aria-current="page"' : ''
      const isOpen = page.file === file || page.pages.some(below => below.file === file)
      const below = isOpen && page.pages.length > 0 ? renderPages(page.pages, file, addresses) : ''
      return `<li><a href="${addresses.page(page.file, file)}"${current}>${Bun.escapeHTML(page.title)}</a>${below}</li>`
    })
    .join('')}</ul>`

const renderHeadings = ({ headings }: RenderedPage): string =>
  `<nav id="contents" class="contents" popover aria-labelledby="contents-title">
<h2 id="contents-title">On this page</h2>
<ul>${headings
    .map(({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${text}</a></li>`)
    .join('')}</ul>
</nav>`

function renderNeighbours(
  previous: Entry | undefined,
  next: Entry | undefined,
  file: string,
  addresses: Addresses,
): string {
  const link = (entry: Entry | undefined, rel: string, label: string) =>
    entry
      ? `<a rel="${rel}" href="${addresses.page(entry.file, file)}"><small>${label}</small> ${Bun.escapeHTML(entry.title)}</a>`
      : ''
  const links = link(previous, 'prev', 'Previous') + link(next, 'next', 'Next')
  return links === '' ? '' : `<nav class="neighbours" aria-label="Previous and next page">${links}</nav>`
}

/** The fields that fill the samples stand before the first of them; the script shows them. */
const withForm = (html: string, { api }: Servers): string =>
  html.replace(
    '<div class="tabs">',
    `<form class="fills" hidden>
<label>Address of the server <input name="origin" type="url" value="${Bun.escapeHTML(api)}" autocomplete="off" spellcheck="false"></label>
<label>Token of a fan <input name="token" placeholder="${TOKEN}" autocomplete="off" spellcheck="false"></label>
<p>They fill the examples of this page, and are not stored.</p>
</form>
<div class="tabs">`,
  )
