/** The pages of the console: one page for the address of every screen, and the files that it loads. */
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Elysia, NotFoundError } from 'elysia'
import type { Config } from '../../platform/config/config.ts'
import { createBundler } from './bundle.ts'

/** The bundled files, which the executable contains. */
const BUILT = join(import.meta.dir, '../../../data/console')

/** Scripts and styles of this origin alone; pictures of the catalogue may be of any https origin. */
const policyOf = ({ docs, port }: Pick<Config, 'docs' | 'port'>) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: https: ${URL.parse(docs.publicUrl ?? '')?.origin ?? `http://localhost:${port}`}`,
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export function pageRoutes(config: Pick<Config, 'docs' | 'port'>) {
  const readFiles = Bun.isStandaloneExecutable ? readBuilt() : createBundler()
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
  return new Elysia({ name: 'console/pages' })
    .get('/', () => serve(''), hidden)
    .get('/*', ({ params }) => serve(params['*']), hidden)
}

function readBuilt(): () => Promise<Map<string, Blob>> {
  const files = new Map(readdirSync(BUILT).map(name => [name, Bun.file(join(BUILT, name))]))
  return async () => files
}
