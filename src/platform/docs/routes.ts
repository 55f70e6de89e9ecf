/** `/`: links. `/docs`: Swagger UI. `/docs/json` and `/openapi.json`: the OpenAPI document, with `?enums=open` its variant. */

import { type AnyElysia, type Context, Elysia } from 'elysia'
import { DomainError } from '../../core/problems.ts'
import { Closed } from '../../core/schemas.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { Type } from '../../core/typebox.ts'
import type { Config } from '../config/config.ts'
import { accepts, compress } from '../http/edge/compression.ts'
import { etagOf } from '../http/edge/conditional.ts'
import { addVary } from '../http/edge/responses.ts'
import type { Endpoints } from '../identity-provider/discovery.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { TEXT_POLICY } from './html-page.ts'
import { CONSOLE_PATH, indexPage } from './index-page.ts'
import { type Enums, generateOpenApi } from './openapi.ts'
import { assets, page } from './page.ts'
import { conditionalPage, pagePolicy, taggedResponse } from './page-response.ts'
import { CODINGS, serveStatic } from './static-files.ts'
import type { DescribedMessage } from './webhooks.ts'

const DocumentQuery = Closed({ enums: Type.Optional(Type.Literal('open')) })
type DocumentContext = Pick<Context, 'request' | 'set'> & { query: typeof DocumentQuery.static }

/** What the first page has in development. */
export interface Development {
  /** By name. */
  readFigures?: () => Promise<Record<string, number>>
  /** A link that signs the developer in to the console, once; undefined if the console is not served. */
  openConsole?: (() => Promise<string>) | undefined
}

/** `api` holds the routes to document, `messages` describes what endpoints of webhooks receive. */
export function docsRoutes(
  { config, identity }: { config: Config; identity: IdentityProvider },
  api: AnyElysia,
  messages: () => DescribedMessage[],
  { readFigures, openConsole }: Development = {},
) {
  // As `createApp` serves it.
  const guide = !config.production
  const demo = config.docs.demoFolder !== null
  const serveIndex = async ({ request }: { request: Request }) =>
    conditionalPage(
      request,
      indexPage({ guide, demo, console: openConsole !== undefined, figures: await readFigures?.() }),
      'text/html; charset=utf-8',
      TEXT_POLICY,
    )
  const hidden = { detail: { hide: true }, query: Closed({}) }
  const readDocument = documentOf(api, config.docs.publicUrl, messages)

  const documented = { detail: { hide: true }, query: DocumentQuery }
  const serveDocument = async ({ request, set, query }: DocumentContext) => {
    const { etag, text, coded } = await readDocument(await identity.endpoints(), query.enums ?? 'closed')
    const coding = CODINGS.find(one => accepts(request.headers, one))
    addVary(set.headers, 'Accept-Encoding')
    return taggedResponse(request, {
      etag,
      coding,
      readBody: () => (coding ? coded[coding] : text),
      type: 'application/json',
    })
  }
  const servePage = async ({ request }: { request: Request }) => {
    const policy = pagePolicy(config.identity.issuer, await identity.endpoints())
    return conditionalPage(request, page(config.docs.clientId, guide), 'text/html; charset=utf-8', policy)
  }

  const routes = new Elysia({ name: 'matchday/docs', prefix: '/docs' })
    .get('', servePage, hidden)
    .get('/json', serveDocument, documented)
  // The provider's response arrives in the query of oauth2-redirect.html, for its script alone: any member may come.
  for (const [name, asset] of Object.entries(assets))
    routes.get(`/${name}`, ({ request }) => serveStatic(request, asset), { detail: { hide: true } })
  return new Elysia({ name: 'matchday/documents' })
    .get('/', serveIndex, hidden)
    .get(
      CONSOLE_PATH,
      ({ request, server }) => redirectToConsole(request, server?.requestIP(request)?.address, openConsole),
      hidden,
    )
    .get('/openapi.json', serveDocument, documented)
    .use(routes)
}

/** Names and addresses of this machine. */
const LOOPBACK = /^(localhost|(::ffff:)?127\.0\.0\.1|\[?::1\]?)$/

/** Of proxies and tunnels, which may also rewrite the host. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/** Only from this machine, under its own name (a tunnel or a rebound domain has another), and not from another site. */
async function redirectToConsole(
  request: Request,
  peer: string | undefined,
  open: Development['openConsole'],
): Promise<Response> {
  const isHere =
    (peer === undefined || LOOPBACK.test(peer)) &&
    LOOPBACK.test(new URL(request.url).hostname) &&
    !FORWARDED.some(name => request.headers.has(name)) &&
    ['none', 'same-origin'].includes(request.headers.get('sec-fetch-site') ?? 'none') &&
    request.method === 'GET' &&
    !request.headers.has('sec-purpose')
  if (!open || !isHere) throw new DomainError(transportProblems.not_found)
  return new Response(null, { status: 303, headers: { Location: await open(), 'Cache-Control': 'no-store' } })
}

/** The document is generated once, and again only when the provider comes up or moves. */
function documentOf(api: AnyElysia, publicUrl: string | null, describe: () => DescribedMessage[]) {
  async function generate(endpoints: Endpoints | null, enums: Enums) {
    const messages = describe()
    const text = JSON.stringify(await generateOpenApi(api, { publicUrl, endpoints, messages, enums }))
    const bytes = new TextEncoder().encode(text)
    const [br, gzip] = await Promise.all([compress(bytes, 'br', 'fast'), compress(bytes, 'gzip', 'fast')])
    return { text, etag: etagOf(text), coded: { br: new Blob([br]), gzip: new Blob([gzip]) } }
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
