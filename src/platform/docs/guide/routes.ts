/** `/docs/guide`: the pages of the folder docs/ with their pictures, also as Markdown; `/llms.txt`: their list. In development. */
import { extname, join } from 'node:path'
import { Elysia } from 'elysia'
import { Closed } from '../../../core/schemas.ts'
import type { Config } from '../../config/config.ts'
import { PICTURE_POLICY } from '../page.ts'
import { conditionalPage, pageResponse } from '../page-response.ts'
import { serveStatic } from '../static-files.ts'
import { onServer, ROOT, SEARCH_INDEX } from './addresses.ts'
import { DOCS_FOLDER, isPage } from './contents.ts'
import type { Servers } from './markdown.ts'

/** Scripts, styles and images of this origin alone. */
const GUIDE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PICTURE_TYPES: Record<string, string> = { '.svg': 'image/svg+xml', '.webp': 'image/webp' }

const HTML = 'text/html; charset=utf-8'

const hidden = { detail: { hide: true }, query: Closed({}) }

export const guideRoutes = (config: Config) => {
  const serveList = async ({ request }: { request: Request }) => {
    const { renderLlmsText } = await import('./llms-text.ts')
    const { api } = serversOf(config, request)
    const text = renderLlmsText(file => api + (file.endsWith('.md') ? `${ROOT}/${file}` : `/${file}`))
    return uncached(await conditionalPage(request, text, 'text/plain; charset=utf-8'))
  }
  const pages = new Elysia({ name: 'matchday/guide-pages', prefix: ROOT })
    .get('', ({ request }) => servePage(request, 'README.md', serversOf(config, request)), hidden)
    .get(
      `/${SEARCH_INDEX}`,
      async ({ request }) => {
        const { renderSearchIndex } = await import('./search-index.ts')
        return conditionalPage(request, renderSearchIndex(onServer), 'text/javascript; charset=utf-8')
      },
      hidden,
    )
    .get('/*', ({ params, request }) => serve(request, params['*'], serversOf(config, request)), hidden)
  return new Elysia({ name: 'matchday/guide' })
    .get('/llms.txt', serveList, hidden)
    .get('/docs/llms.txt', serveList, hidden)
    .use(pages)
}

function serversOf({ docs, identity }: Config, { url }: Request): Servers {
  const api = docs.publicUrl ?? new URL(url).origin
  return { api, development: { api, provider: identity.issuer } }
}

async function serve(request: Request, path: string, servers: Servers): Promise<Response> {
  const type = PICTURE_TYPES[extname(path)]
  if (type !== undefined && isPage(path))
    return serveStatic(request, { file: join(DOCS_FOLDER, path), type, policy: PICTURE_POLICY })
  if (path.endsWith('.md') && isPage(path))
    return serveStatic(request, { file: join(DOCS_FOLDER, path), type: 'text/markdown; charset=utf-8' })
  const file = [`${path}.md`, `${path}/README.md`].find(name => onServer.name(name) === path && isPage(name))
  return servePage(request, file, servers)
}

/** Loads the highlighter with the first page, so that a server starts without it. */
async function servePage(request: Request, file: string | undefined, servers: Servers): Promise<Response> {
  const { renderGuidePage, renderMissing } = await import('./page.ts')
  if (file === undefined) return uncached(pageResponse(renderMissing(onServer), HTML, GUIDE_POLICY, 404))
  return uncached(
    await conditionalPage(request, renderGuidePage(file, onServer, servers), HTML, GUIDE_POLICY),
  )
}

/** Without PUBLIC_URL it has the host of this request. */
function uncached(response: Response): Response {
  response.headers.set('Cache-Control', 'private, no-cache')
  return response
}
