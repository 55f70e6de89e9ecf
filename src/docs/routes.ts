/** `/`: links. `/docs`: Swagger UI. `/docs/json` and `/openapi.json`: the OpenAPI document. */

import { type AnyElysia, type Context, Elysia } from 'elysia'
import type { Config } from '../config/config.ts'
import { Closed } from '../core/schemas.ts'
import { acceptsGzip } from '../http/edge/compression.ts'
import { addVary } from '../http/edge/responses.ts'
import type { Endpoints } from '../identity-provider/discovery.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { TEXT_POLICY } from './html-page.ts'
import { indexPage } from './index-page.ts'
import { generateOpenApi } from './openapi.ts'
import { assets, page } from './page.ts'
import { pagePolicy, pageResponse } from './page-response.ts'
import type { DescribedMessage } from './webhooks.ts'

/** `api` holds the routes to document, `messages` what endpoints of webhooks receive. */
export function docsRoutes(
  { config, identity }: { config: Config; identity: IdentityProvider },
  api: AnyElysia,
  messages: DescribedMessage[],
) {
  // As `createApp` serves it.
  const guide = !config.production
  const index = indexPage({ guide, demo: config.docs.demoFolder !== null })
  const hidden = { detail: { hide: true }, query: Closed({}) }
  const readDocument = documentOf(api, config.docs.publicUrl, messages)

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
    return pageResponse(page(config.docs.clientId, guide), 'text/html; charset=utf-8', policy)
  }

  const routes = new Elysia({ name: 'matchday/docs', prefix: '/docs' })
    .get('', servePage, hidden)
    .get('/json', serveDocument, hidden)
  // The provider's answer arrives in the query of oauth2-redirect.html, for its script alone: any member may come.
  for (const [name, { type, file }] of Object.entries(assets))
    routes.get(`/${name}`, () => pageResponse(Bun.file(file), type), { detail: { hide: true } })
  return new Elysia({ name: 'matchday/documents' })
    .get('/', () => pageResponse(index, 'text/html; charset=utf-8', TEXT_POLICY), hidden)
    .get('/openapi.json', serveDocument, hidden)
    .use(routes)
}

/** The document is generated once, and again only when the provider comes up or moves. */
function documentOf(api: AnyElysia, publicUrl: string | null, messages: DescribedMessage[]) {
  async function generate(endpoints: Endpoints | null) {
    const text = JSON.stringify(await generateOpenApi(api, { publicUrl, endpoints, messages }))
    return { text, gzip: new Blob([Bun.gzipSync(text)]) }
  }
  let key: string | undefined
  let document: ReturnType<typeof generate> | undefined
  return (endpoints: Endpoints | null) => {
    const asked = JSON.stringify(endpoints)
    if (document === undefined || key !== asked) {
      key = asked
      document = generate(endpoints)
    }
    return document
  }
}
