/** The page of an address that has none, for browsers. Programs get a problem document. */
import { htmlPage, TEXT_POLICY } from './html-page.ts'
import { pageResponse } from './page-response.ts'

/** `detail`: a sentence about the address, such as a similar one. `asset`: where the style and the logo are. */
export const missingPage = (detail: string | undefined, asset: (name: string) => string): Response =>
  pageResponse(
    htmlPage({
      title: 'No such page',
      head: '<meta name="robots" content="noindex">',
      styles: [],
      asset,
      home: '/',
      links: [],
      content: `<main class="notice">
<h1>There is no page at this address</h1>
<p>${detail === undefined ? 'It may be mistyped, or the page has moved.' : Bun.escapeHTML(detail)}</p>
<p><a href="/">Start page</a></p>
</main>`,
    }),
    'text/html; charset=utf-8',
    TEXT_POLICY,
    404,
  )

/** Browsers name HTML first when they open an address or send a form; scripts and programs do not. */
export const namesHtmlFirst = ({ headers }: Request): boolean =>
  /^\s*text\/html\b/.test(headers.get('accept') ?? '')

export const prefersPage = (request: Request): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && namesHtmlFirst(request)
