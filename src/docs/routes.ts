/** `/docs`: Swagger UI. `/docs/json`: the OpenAPI document. */
import { type AnyElysia, Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { Closed } from '../http/schemas.ts'
import { generateOpenApi } from './openapi.ts'
import { assetFile, assets, page, startScript } from './page.ts'

/** `api` holds the routes to document. */
export function docsRoutes({ config, identity }: Pick<Deps, 'config' | 'identity'>, api: AnyElysia) {
  const headers = {
    // Swagger UI sets styles by attribute; scripts are ours alone. The token is fetched from the provider.
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      `connect-src 'self' ${new URL(config.identity.issuer).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  }
  const answer = (body: string | Blob, type: string) =>
    new Response(body, { headers: { ...headers, 'Content-Type': type } })
  const hidden = { detail: { hide: true }, query: Closed({}) }

  const routes = new Elysia({ name: 'matchday/docs', prefix: '/docs' })
    .get('', () => answer(page, 'text/html; charset=utf-8'), hidden)
    .get(
      '/start.js',
      () => answer(startScript(config.docs.clientId), 'text/javascript; charset=utf-8'),
      hidden,
    )
    .get(
      '/json',
      async () => {
        const document = await generateOpenApi(api, await identity.endpoints())
        return answer(JSON.stringify(document, null, 2), 'application/json')
      },
      hidden,
    )
  // The provider's answer arrives in the query of this page: it is for the page alone, so any member may come.
  for (const [name, type] of Object.entries(assets))
    routes.get(`/${name}`, () => answer(assetFile(name), type))
  return routes
}
