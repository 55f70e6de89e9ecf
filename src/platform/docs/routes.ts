/** `/`: links. `/docs`: Swagger UI. `/docs/json` and `/openapi.json`: the OpenAPI document, with `?enums=open` its variant. */

import { type AnyElysia, type Context, Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { Config } from '../config/config.ts'
import { acceptsGzip } from '../http/edge/compression.ts'
import { etagOf, matchesTag, withCoding } from '../http/edge/conditional.ts'
import { addVary } from '../http/edge/responses.ts'
import type { Endpoints } from '../identity-provider/discovery.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { TEXT_POLICY } from './html-page.ts'
import { indexPage } from './index-page.ts'
import { type Enums, generateOpenApi } from './openapi.ts'
import { assets, page } from './page.ts'
import { pagePolicy, pageResponse } from './page-response.ts'
import type { DescribedMessage } from './webhooks.ts'

const DocumentQuery = Closed({ enums: Type.Optional(Type.Literal('open')) })
type DocumentContext = Pick<Context, 'request' | 'set'> & { query: typeof DocumentQuery.static }

/** `api` holds the routes to document, `messages` describes what endpoints of webhooks receive, `readFigures` those of the first page. */
export function docsRoutes(
  { config, identity }: { config: Config; identity: IdentityProvider },
  api: AnyElysia,
  messages: () => DescribedMessage[],
  readFigures?: () => Promise<Record<string, number>>,
) {
  // As `createApp` serves it.
  const guide = !config.production
  const demo = config.docs.demoFolder !== null
  const serveIndex = async () =>
    pageResponse(
      indexPage({ guide, demo, figures: await readFigures?.() }),
      'text/html; charset=utf-8',
      TEXT_POLICY,
    )
  const hidden = { detail: { hide: true }, query: Closed({}) }
  const readDocument = documentOf(api, config.docs.publicUrl, messages)

  const documented = { detail: { hide: true }, query: DocumentQuery }
  const serveDocument = async ({ request, set, query }: DocumentContext) => {
    const document = await readDocument(await identity.endpoints(), query.enums ?? 'closed')
    const gzip = acceptsGzip(request.headers)
    const etag = gzip ? withCoding(document.etag) : document.etag
    addVary(set.headers, 'Accept-Encoding')
    if (matchesTag(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers: { ETag: etag, 'Cache-Control': 'no-cache' } })
    const response = pageResponse(gzip ? document.gzip : document.text, 'application/json')
    response.headers.set('ETag', etag)
    if (gzip) response.headers.set('Content-Encoding', 'gzip')
    return response
  }
  const servePage = async () => {
    const policy = pagePolicy(config.identity.issuer, await identity.endpoints())
    return pageResponse(page(config.docs.clientId, guide), 'text/html; charset=utf-8', policy)
  }

  const routes = new Elysia({ name: 'matchday/docs', prefix: '/docs' })
    .get('', servePage, hidden)
    .get('/json', serveDocument, documented)
  // The provider's response arrives in the query of oauth2-redirect.html, for its script alone: any member may come.
  for (const [name, { type, file }] of Object.entries(assets))
    routes.get(`/${name}`, () => pageResponse(Bun.file(file), type), { detail: { hide: true } })
  return new Elysia({ name: 'matchday/documents' })
    .get('/', serveIndex, hidden)
    .get('/openapi.json', serveDocument, documented)
    .use(routes)
}

/** The document is generated once, and again only when the provider comes up or moves. */
function documentOf(api: AnyElysia, publicUrl: string | null, describe: () => DescribedMessage[]) {
  async function generate(endpoints: Endpoints | null, enums: Enums) {
    const messages = describe()
    const text = JSON.stringify(await generateOpenApi(api, { publicUrl, endpoints, messages, enums }))
    return { text, etag: etagOf(text), gzip: new Blob([Bun.gzipSync(text)]) }
  }
  let key: string | undefined
  const documents = new Map<Enums, ReturnType<typeof generate>>()
  return (endpoints: Endpoints | null, enums: Enums) => {
    const asked = JSON.stringify(endpoints)
    if (key !== asked) documents.clear()
    key = asked
    const document = documents.get(enums) ?? generate(endpoints, enums)
    documents.set(enums, document)
    return document
  }
}
