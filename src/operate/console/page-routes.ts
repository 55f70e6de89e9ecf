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

/** Uploaded pictures are on the address of the API. */
const picturesOf = ({ docs, port }: PageConfig) =>
  URL.parse(docs.publicUrl ?? '')?.origin ?? `http://localhost:${port}`

/** Scripts and styles of this origin alone; pictures of the catalogue may be of any https origin. */
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

/** Of all consoles of the process. */
const bundleSources = createBundler()

export function pageRoutes(config: PageConfig) {
  const readFiles = Bun.isStandaloneExecutable ? readBuilt() : bundleSources
  const policy = policyOf(config)
  const hidden = { detail: { hide: true } }

  async function serve(path: string): Promise<Response> {
    if (path === 'api' || path.startsWith('api/')) throw new NotFoundError()
    const files = await readFiles()
    // Each address of a screen is the page; files are at the root, and ids may have dots. A file that an older build had is not: the page would be run as a script.
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
        // The name of every file but the page changes with its content.
        'Cache-Control': name === 'index.html' ? 'no-cache' : 'max-age=31536000, immutable',
      },
    })
  }
  const routes = new Elysia({ name: 'console/pages' })
  // The page at the gate, which the session opens here.
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
