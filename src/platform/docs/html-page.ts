/** What the HTML pages of this server share: the head, and the header with its links. */

interface HtmlPage {
  /** Before the name of the product in the title; the name alone by default. */
  title?: string
  /** Style sheets after the shared one, as paths. */
  styles: string[]
  /** The page that the wordmark leads to. */
  home: string
  links: { path: string; text: string }[]
  /** HTML after the header. */
  content: string
}

export const htmlPage = ({ title, styles, home, links, content }: HtmlPage) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === undefined ? 'Matchday API' : `${Bun.escapeHTML(title)} · Matchday`}</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
${['/docs/matchday.css', ...styles].map(path => `<link rel="stylesheet" href="${path}">`).join('\n')}
</head>
<body>
<header class="matchday">
<div>
<a class="wordmark" href="${home}"><img src="/docs/icon.svg" alt="" width="32" height="32">Matchday</a>
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
