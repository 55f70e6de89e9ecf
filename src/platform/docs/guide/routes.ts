/** `/docs/guide`: the pages of the folder docs/ with their pictures, in development. */
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { Closed } from '../../../core/schemas.ts'
import { pageResponse } from '../page-response.ts'
import { onServer, ROOT, SEARCH_INDEX } from './addresses.ts'
import { DOCS_FOLDER, isPage } from './contents.ts'

/** Scripts, styles and images of this origin alone. */
const GUIDE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** Pictures have styles for light and dark. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

const hidden = { detail: { hide: true }, query: Closed({}) }

export const guideRoutes = () =>
  new Elysia({ name: 'matchday/guide', prefix: ROOT })
    .get('', () => servePage('README.md'), hidden)
    .get(
      `/${SEARCH_INDEX}`,
      async () => {
        const { renderSearchIndex } = await import('./search-index.ts')
        return pageResponse(renderSearchIndex(onServer), 'text/javascript; charset=utf-8')
      },
      hidden,
    )
    .get('/*', ({ params }) => serve(params['*']), hidden)

async function serve(path: string): Promise<Response> {
  if (path.endsWith('.svg') && isPage(path))
    return pageResponse(Bun.file(join(DOCS_FOLDER, path)), 'image/svg+xml', PICTURE_POLICY)
  const file = [`${path}.md`, `${path}/README.md`].find(name => onServer.name(name) === path && isPage(name))
  return servePage(file)
}

/** Loads the highlighter with the first page, so that a server starts without it. */
async function servePage(file: string | undefined): Promise<Response> {
  const { renderGuidePage, renderMissing } = await import('./page.ts')
  const html = file === undefined ? renderMissing(onServer) : renderGuidePage(file, onServer)
  const response = pageResponse(html, 'text/html; charset=utf-8', GUIDE_POLICY)
  return file === undefined
    ? new Response(response.body, { status: 404, headers: response.headers })
    : response
}
