/** Swagger UI without a CDN: the page, its start script, and the files of swagger-ui-dist. */
import { join } from 'node:path'
import { getAbsoluteFSPath } from 'swagger-ui-dist'

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Matchday API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="swagger-ui"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Runs in the browser. */
export const startScript = (clientId: string) => `const ui = SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  oauth2RedirectUrl: location.origin + '/docs/oauth2-redirect.html',
})
ui.initOAuth({
  clientId: ${JSON.stringify(clientId)},
  scopes: ['openid', 'profile', 'email'],
  usePkceWithAuthorizationCodeGrant: true,
})
`

/** Files of swagger-ui-dist that the page asks for, by media type. */
export const assets: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
  'oauth2-redirect.html': 'text/html; charset=utf-8',
  'oauth2-redirect.js': 'text/javascript; charset=utf-8',
}

export const assetFile = (name: string) => Bun.file(join(getAbsoluteFSPath(), name))
