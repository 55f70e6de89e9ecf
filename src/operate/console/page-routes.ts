/** The pages of the console: one page for the address of every screen, and the files that it loads. */
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Elysia, NotFoundError } from 'elysia'
import type { Config } from '../../platform/config/config.ts'
import { isCoded, serveStatic } from '../../platform/docs/static-files.ts'
import { gateFiles } from '../../play/check-ins/page.ts'
import { createBundler } from './bundle.ts'
import { apiOriginOf } from './contract/settings.ts'

/** The bundled files, which the executable contains. */
const BUILT = join(import.meta.dir, '../../../data/console')

type PageConfig = Pick<Config, 'checkInUrl' | 'docs' | 'port'>

/** Allows scripts and styles only from this origin. Pictures of the catalogue may come from any https origin. */
const policyOf = (config: PageConfig, framedBy: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: https: ${apiOriginOf(config)}`,
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framedBy}`,
  ].join('; ')

const HEADERS = {
  'Permissions-Policy': 'camera=(self), geolocation=(), microphone=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** The page that a form of the catalogue has in a frame. */
const PREVIEW = 'preview.html'

/** Shared by all consoles of the process. */
const bundleSources = createBundler()

export function pageRoutes(config: PageConfig) {
  const readFiles: () => Promise<Map<string, Blob | string>> = Bun.isStandaloneExecutable
    ? readBuilt()
    : bundleSources
  const policies = { page: policyOf(config, "'none'"), preview: policyOf(config, "'self'") }
  const hidden = { detail: { hide: true } }

  async function serve(request: Request, path: string): Promise<Response> {
    if (path === 'api' || path.startsWith('api/')) throw new NotFoundError()
    const files = await readFiles()
    // Every address of a screen returns the page. Files are at the root, while ids may contain dots. A file of an older
    // build returns 404, since the page must not run as a script.
    const name = path.includes('/') || extname(path) === '' ? 'index.html' : path
    const file = files.get(name)
    if (!file) throw new NotFoundError()
    const type = typeof file === 'string' ? Bun.file(file).type : file.type
    // The names of all files except the page change with their content.
    const isPreview = name === PREVIEW
    const policy = isPreview ? policies.preview : policies.page
    const hashed = extname(name) !== '.html'
    const response = await serveStatic(request, { file, type, policy, hashed })
    response.headers.set('X-Frame-Options', isPreview ? 'SAMEORIGIN' : 'DENY')
    for (const [header, value] of Object.entries(HEADERS)) response.headers.set(header, value)
    return response
  }
  const routes = new Elysia({ name: 'console/pages' })
  // The gate display, which a session can open here.
  const gate = { link: config.checkInUrl, matches: '/api/match-day/matches', session: true }
  const { page, assets } = gateFiles({ ...gate, images: apiOriginOf(config) })
  routes.get('/check-in/:matchId', page, hidden)
  for (const [path, respond] of assets) routes.get(`/check-in${path}`, respond, hidden)
  return routes
    .get('/', ({ request }) => serve(request, ''), hidden)
    .get('/*', ({ params, request }) => serve(request, params['*']), hidden)
}

function readBuilt(): () => Promise<Map<string, string>> {
  const names = readdirSync(BUILT).filter(name => !isCoded(name))
  const files = new Map(names.map(name => [name, join(BUILT, name)]))
  return async () => files
}
