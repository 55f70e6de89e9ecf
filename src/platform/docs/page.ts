/** Swagger UI without a CDN: the page, and the files that it asks for. */
import { join } from 'node:path'
import { htmlPage } from './html-page.ts'

const MODULES = ['start', 'filter', 'labels', 'problems', 'references', 'sections', 'signed-in']

/** Without it, the document would be asked for when Swagger UI runs, and the modules by one another. */
const early = [
  '<link rel="preload" href="/docs/json" as="fetch" crossorigin="anonymous">',
  ...MODULES.map(name => `<link rel="modulepreload" href="/docs/${name}.js">`),
].join('\n')

/** `clientId` is the OAuth client that the page signs in with; `guide` is whether the server serves the guide. */
export const page = (clientId: string, guide: boolean) =>
  htmlPage({
    styles: ['swagger-ui.css', 'operations.css'],
    head: early,
    home: '/docs',
    links: [
      ...(guide ? [{ path: '/docs/guide', text: 'Guide' }] : []),
      { path: '/openapi.json', text: 'OpenAPI document' },
    ],
    content: `<main id="swagger-ui"></main>
<noscript><p class="notice">Swagger UI needs JavaScript. The <a href="/openapi.json">OpenAPI document</a> does not.</p></noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js" data-client-id="${Bun.escapeHTML(clientId)}"></script>`,
  })

const ours = (name: string) => join(import.meta.dir, 'assets', name)
const theirs = (name: string, folder = 'swagger-ui-dist') =>
  join(import.meta.dir, '../../../node_modules', folder, name)

/** Such a picture has styles for light and dark, and for reduced motion. */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** By name below /docs. */
export const assets = {
  'icon.svg': { type: 'image/svg+xml', file: ours('icon.svg') },
  'match-day.svg': { type: 'image/svg+xml', file: ours('match-day.svg'), policy: PICTURE_POLICY },
  'matchday.css': { type: 'text/css; charset=utf-8', file: ours('matchday.css') },
  'text.css': { type: 'text/css; charset=utf-8', file: ours('text.css') },
  'operations.css': { type: 'text/css; charset=utf-8', file: ours('operations.css') },
  'guide.css': { type: 'text/css; charset=utf-8', file: ours('guide.css') },
  'guide.js': { type: 'text/javascript; charset=utf-8', file: ours('guide.js') },
  'filter.js': { type: 'text/javascript; charset=utf-8', file: ours('filter.js') },
  'labels.js': { type: 'text/javascript; charset=utf-8', file: ours('labels.js') },
  'problems.js': { type: 'text/javascript; charset=utf-8', file: ours('problems.js') },
  'references.js': { type: 'text/javascript; charset=utf-8', file: ours('references.js') },
  'sections.js': { type: 'text/javascript; charset=utf-8', file: ours('sections.js') },
  'signed-in.js': { type: 'text/javascript; charset=utf-8', file: ours('signed-in.js') },
  'start.js': { type: 'text/javascript; charset=utf-8', file: ours('start.js') },
  'minisearch.js': {
    type: 'text/javascript; charset=utf-8',
    file: theirs('index.js', 'minisearch/dist/umd'),
  },
  'swagger-ui.css': { type: 'text/css; charset=utf-8', file: theirs('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', file: theirs('swagger-ui-bundle.js') },
  'oauth2-redirect.html': { type: 'text/html; charset=utf-8', file: theirs('oauth2-redirect.html') },
  'oauth2-redirect.js': { type: 'text/javascript; charset=utf-8', file: theirs('oauth2-redirect.js') },
}
