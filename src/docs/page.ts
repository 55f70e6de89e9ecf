/** Swagger UI without a CDN: the page, and the files that it asks for. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `clientId` is the OAuth client that the page signs in with. */
export const page = (clientId: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Matchday API</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/matchday.css">
<link rel="stylesheet" href="/docs/operations.css">
</head>
<body>
<header class="matchday">
<div>
<a class="wordmark" href="/docs"><img src="/docs/icon.svg" alt="" width="32" height="32">Matchday</a>
<nav aria-label="Of this API"><a href="/docs/json">OpenAPI document</a></nav>
</div>
</header>
<main id="swagger-ui"></main>
<noscript><p class="notice">Swagger UI needs JavaScript. The <a href="/docs/json">OpenAPI document</a> does not.</p></noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js" data-client-id="${Bun.escapeHTML(clientId)}"></script>
</body>
</html>
`

interface Asset {
  type: string
  file: string
}

const ours = (name: string) => join(import.meta.dir, 'assets', name)
// Found without importing it: its module runs the whole interface.
const theirs = (name: string) =>
  join(dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'))), name)

/** By name below /docs. */
export const assets: Record<string, Asset> = {
  'icon.svg': { type: 'image/svg+xml', file: ours('icon.svg') },
  'matchday.css': { type: 'text/css; charset=utf-8', file: ours('matchday.css') },
  'operations.css': { type: 'text/css; charset=utf-8', file: ours('operations.css') },
  'filter.js': { type: 'text/javascript; charset=utf-8', file: ours('filter.js') },
  'labels.js': { type: 'text/javascript; charset=utf-8', file: ours('labels.js') },
  'problems.js': { type: 'text/javascript; charset=utf-8', file: ours('problems.js') },
  'signed-in.js': { type: 'text/javascript; charset=utf-8', file: ours('signed-in.js') },
  'start.js': { type: 'text/javascript; charset=utf-8', file: ours('start.js') },
  'swagger-ui.css': { type: 'text/css; charset=utf-8', file: theirs('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', file: theirs('swagger-ui-bundle.js') },
  'oauth2-redirect.html': { type: 'text/html; charset=utf-8', file: theirs('oauth2-redirect.html') },
  'oauth2-redirect.js': { type: 'text/javascript; charset=utf-8', file: theirs('oauth2-redirect.js') },
}
