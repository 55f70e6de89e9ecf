/** The page at `/`. */
import { htmlPage } from './html-page.ts'

/** `guide` and `demo`: whether the server serves these pages. */
export function indexPage({ guide, demo }: { guide: boolean; demo: boolean }): string {
  const entries = [
    { path: '/docs', text: 'API reference', about: 'Every operation, to read and to try' },
    ...(guide ? [{ path: '/docs/guide', text: 'Guide', about: 'How to use and to operate the API' }] : []),
    ...(demo ? [{ path: '/demo', text: 'Demo app', about: 'A small fan app for the web' }] : []),
    { path: '/openapi.json', text: 'OpenAPI document', about: 'To generate a client from' },
    { path: '/healthz', text: 'Health', about: 'Whether the server runs' },
    { path: '/readyz', text: 'Readiness', about: 'Whether it can serve requests' },
  ]
  return htmlPage({
    styles: ['/docs/text.css'],
    home: '/',
    links: [],
    content: `<main class="text">
<h1>Matchday API</h1>
<ul class="entries">
${entries.map(({ path, text, about }) => `<li><a href="${path}">${text}</a> <span>${about}</span></li>`).join('\n')}
</ul>
</main>`,
  })
}
