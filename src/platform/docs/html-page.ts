/** What the HTML pages of this server share: the head, and the header with its links. */

interface HtmlPage {
  /** Of its texts, as a BCP 47 tag. English by default. */
  lang?: string
  dir?: 'ltr' | 'rtl'
  /** Before the name of the product in the title; the name alone by default. */
  title?: string
  /** For search engines and previews. */
  description?: string
  /** HTML at the end of the head. */
  head?: string
  /** Style sheets after the shared one, and classic scripts that run once the page is read, by name. */
  styles: string[]
  scripts?: string[]
  /** The address of a file of `assets`. */
  asset?: (name: string) => string
  /** The page that the wordmark leads to. */
  home: string
  links: { path: string; text: string }[]
  /** HTML in the header, before the links. */
  tools?: string
  /** HTML after the header. */
  content: string
}

const onThisServer = (name: string) => `/docs/${name}`

export const htmlPage = ({
  lang = 'en',
  dir = 'ltr',
  title,
  description = '',
  head = '',
  styles,
  scripts = [],
  asset = onThisServer,
  home,
  tools = '',
  links,
  content,
}: HtmlPage) => `<!doctype html>
<html lang="${lang}"${dir === 'ltr' ? '' : ` dir="${dir}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === undefined ? 'Matchday API' : `${Bun.escapeHTML(title)} · Matchday`}</title>
${description === '' ? '' : `<meta name="description" content="${Bun.escapeHTML(description)}">\n`}<link rel="icon" type="image/svg+xml" href="${asset('icon.svg')}">
${['matchday.css', ...styles].map(name => `<link rel="stylesheet" href="${asset(name)}">`).join('\n')}
${scripts.map(name => `<script defer src="${asset(name)}"></script>`).join('\n')}
${head === '' ? '' : `${head}\n`}</head>
<body>
<header class="matchday">
<div>
<a class="wordmark" href="${home}"><img src="${asset('icon.svg')}" alt="" width="32" height="32">Matchday</a>
${tools}
${links.length > 0 ? navigation(links) : ''}
</div>
</header>
${content}
</body>
</html>
`

const navigation = (links: HtmlPage['links']) =>
  `<nav aria-label="Documentation">${links.map(({ path, text }) => `<a href="${path}">${text}</a>`).join(' ')}</nav>`

/** For pages without scripts: styles and images of this origin alone. */
export const TEXT_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
