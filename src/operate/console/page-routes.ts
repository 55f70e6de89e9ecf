/** The pages of the console: one page for the address of every screen, and the files that it loads. */
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Elysia, NotFoundError } from 'elysia'
import type { Config } from '../../platform/config/config.ts'
import { gateFiles } from '../../play/check-ins/page.ts'
import { createBundler } from './bundle.ts'

/** The bundled files, which the executable contains. */
const BUILT = join(import.meta.dir, '../../../data/console')

type PageConfig = Pick<Config, 'checkInUrl' | 'docs' | 'port'>

/** The origins of uploaded pictures, which the API serves. */
const picturesOf = ({ docs, port }: PageConfig) =>
  URL.parse(docs.publicUrl ?? '')?.origin ?? `http://localhost:${port}`

/** Allows scripts and styles only from this origin. Pictures of the catalogue may come from any https origin. */
const policyOf = (config: PageConfig) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: https: ${picturesOf(config)}`,
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Shared by all consoles of the process. */
const bundleSources = createBundler()

export function pageRoutes(config: PageConfig) {
  const readFiles = Bun.isStandaloneExecutable ? readBuilt() : bundleSources
  const policy = policyOf(config)
  const hidden = { detail: { hide: true } }

  async function serve(path: string): Promise<Response> {
    if (path === 'api' || path.startsWith('api/')) throw new NotFoundError()
    const files = await readFiles()
    // Every address of a screen returns the page. Files are at the root, while ids may contain dots. A file of an older
    // build returns 404, since the page must not run as a script.
    const name = path.includes('/') || extname(path) === '' ? 'index.html' : path
    const file = files.get(name)
    if (!file) throw new NotFoundError()
    return new Response(file, {
      headers: {
        'Content-Type': file.type,
        'Content-Security-Policy': policy,
        'Permissions-Policy': 'camera=(self), geolocation=(), microphone=()',
        'X-Frame-Options': 'DENY',
        'Cross-Origin-Opener-Policy': 'same-origin',
        // The names of all files except the page change with their content.
        'Cache-Control': name === 'index.html' ? 'no-cache' : 'max-age=31536000, immutable',
      },
    })
  }
  const routes = new Elysia({ name: 'console/pages' })
  // The gate display, which a session can open here.
  const gate = { link: config.checkInUrl, matches: '/api/match-day/matches', session: true }
  const { page, assets } = gateFiles({ ...gate, images: picturesOf(config) })
  routes.get('/check-in/:matchId', page, hidden)
  for (const [path, respond] of assets) routes.get(`/check-in${path}`, respond, hidden)
  return routes.get('/', () => serve(''), hidden).get('/*', ({ params }) => serve(params['*']), hidden)
}

function readBuilt(): () => Promise<Map<string, Blob>> {
  const files = new Map(readdirSync(BUILT).map(name => [name, Bun.file(join(BUILT, name))]))
  return async () => files
}
