/** `/docs/guide`: the pages of the folder docs/ with their pictures, in development. */
import { extname, join } from 'node:path'
import { Elysia } from 'elysia'
import { Closed } from '../../../core/schemas.ts'
import type { Config } from '../../config/config.ts'
import { pageResponse } from '../page-response.ts'
import { onServer, ROOT, SEARCH_INDEX } from './addresses.ts'
import { DOCS_FOLDER, isPage } from './contents.ts'
import type { Servers } from './markdown.ts'

/** Scripts, styles and images of this origin alone. */
const GUIDE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** Pictures have styles for light and dark. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

const PICTURE_TYPES: Record<string, string> = { '.svg': 'image/svg+xml', '.webp': 'image/webp' }

const hidden = { detail: { hide: true }, query: Closed({}) }

export const guideRoutes = (config: Config) =>
  new Elysia({ name: 'matchday/guide', prefix: ROOT })
    .get('', ({ request }) => servePage('README.md', serversOf(config, request)), hidden)
    .get(
      `/${SEARCH_INDEX}`,
      async () => {
        const { renderSearchIndex } = await import('./search-index.ts')
        return pageResponse(renderSearchIndex(onServer), 'text/javascript; charset=utf-8')
      },
      hidden,
    )
    .get('/*', ({ params, request }) => serve(params['*'], serversOf(config, request)), hidden)

function serversOf({ docs, identity }: Config, { url }: Request): Servers {
  const api = docs.publicUrl ?? new URL(url).origin
  return { api, development: { api, provider: identity.issuer } }
}

async function serve(path: string, servers: Servers): Promise<Response> {
  const type = PICTURE_TYPES[extname(path)]
  if (type !== undefined && isPage(path))
    return pageResponse(Bun.file(join(DOCS_FOLDER, path)), type, PICTURE_POLICY)
  const file = [`${path}.md`, `${path}/README.md`].find(name => onServer.name(name) === path && isPage(name))
  return servePage(file, servers)
}

/** Loads the highlighter with the first page, so that a server starts without it. */
async function servePage(file: string | undefined, servers: Servers): Promise<Response> {
  const { renderGuidePage, renderMissing } = await import('./page.ts')
  const html = file === undefined ? renderMissing(onServer) : renderGuidePage(file, onServer, servers)
  const response = pageResponse(html, 'text/html; charset=utf-8', GUIDE_POLICY)
  // Without PUBLIC_URL it has the host of this request.
  response.headers.set('Cache-Control', 'private, no-cache')
  return file === undefined
    ? new Response(response.body, { status: 404, headers: response.headers })
    : response
}
