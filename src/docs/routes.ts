/** `/docs`: Swagger UI. `/docs/json`: the OpenAPI document. */

import { type AnyElysia, type Context, Elysia } from 'elysia'
import type { Config } from '../config/config.ts'
import { Closed } from '../core/schemas.ts'
import { acceptsGzip, addVary } from '../http/edge/compression.ts'
import type { Endpoints } from '../identity-provider/discovery.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { generateOpenApi } from './openapi.ts'
import { assets, page } from './page.ts'
import { pagePolicy, pageResponse } from './page-response.ts'

/** The page at `/`. */
const INDEX = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Matchday API</title>
</head>
<body>
<main>
<h1>Matchday API</h1>
<ul>
<li><a href="/docs">Documentation</a></li>
<li><a href="/openapi.json">OpenAPI document</a></li>
<li><a href="/healthz">Health</a></li>
<li><a href="/readyz">Readiness</a></li>
</ul>
</main>
</body>
</html>
`

/** `api` holds the routes to document. */
export function docsRoutes(
  { config, identity }: { config: Config; identity: IdentityProvider },
  api: AnyElysia,
) {
  const hidden = { detail: { hide: true }, query: Closed({}) }
  const readDocument = documentOf(api, config.docs.publicUrl)

  const serveDocument = async ({ request, set }: Pick<Context, 'request' | 'set'>) => {
    const document = await readDocument(await identity.endpoints())
    const gzip = acceptsGzip(request.headers)
    const response = pageResponse(gzip ? document.gzip : document.text, 'application/json')
    addVary(set.headers, 'Accept-Encoding')
    if (gzip) response.headers.set('Content-Encoding', 'gzip')
    return response
  }
  const servePage = async () => {
    const policy = pagePolicy(config.identity.issuer, await identity.endpoints())
    return pageResponse(page(config.docs.clientId), 'text/html; charset=utf-8', policy)
  }

  const routes = new Elysia({ name: 'matchday/docs', prefix: '/docs' })
    .get('', servePage, hidden)
    .get('/json', serveDocument, hidden)
  // The provider's answer arrives in the query of oauth2-redirect.html, for its script alone: any member may come.
  for (const [name, { type, file }] of Object.entries(assets))
    routes.get(`/${name}`, () => pageResponse(Bun.file(file), type), { detail: { hide: true } })
  return new Elysia({ name: 'matchday/documents' })
    .get('/', () => pageResponse(INDEX, 'text/html; charset=utf-8', "default-src 'none'"), hidden)
    .get('/openapi.json', serveDocument, hidden)
    .use(routes)
}

interface ServedDocument {
  text: string
  gzip: Blob
}

/** The document is generated once, and again only when the provider comes up or moves. */
function documentOf(
  api: AnyElysia,
  publicUrl: string | null,
): (endpoints: Endpoints | null) => Promise<ServedDocument> {
  let key: string | undefined
  let document: Promise<ServedDocument> | undefined
  return endpoints => {
    const asked = JSON.stringify(endpoints)
    if (document === undefined || key !== asked) {
      key = asked
      document = generateOpenApi(api, { publicUrl, endpoints }).then(generated => {
        const text = JSON.stringify(generated)
        return { text, gzip: new Blob([Bun.gzipSync(text)]) }
      })
    }
    return document
  }
}
