/** `/demo`: the example app for the web, in development. */
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Elysia } from 'elysia'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { Config } from '../config/config.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { pagePolicy, pageResponse } from './page-response.ts'
import { isCoded, serveStatic } from './static-files.ts'

const CLIENT_ID = 'matchday-app'
/** Fetches the shell of the app, at `/demo` and below. */
const WORKER = 'service-worker.js'
/** As the bundler names its outputs. */
const HASHED = /^[\w]+-[a-z0-9]{8}\.(js|css)$/
const WORKER_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"

/** Serves the bundled files of `folder`, and the page for every address of a screen. */
export function demoRoutes(
  { config, identity }: { config: Config; identity: IdentityProvider },
  folder: string,
) {
  const hidden = { detail: { hide: true } }
  const { issuer } = config.identity
  const settings = JSON.stringify({ issuer, clientId: CLIENT_ID })
  // Catalogues name pictures of any https origin; the mock provider has pictures of fans.
  const images = `'self' data: https: ${URL.parse(issuer)?.origin ?? ''}`
  const servePage = async ({ request }: { request: Request }) => {
    const policy = `${pagePolicy(issuer, await identity.endpoints(), images)}; worker-src 'self'; manifest-src 'self'`
    const file = join(folder, 'index.html')
    return serveStatic(request, { file, type: 'text/html; charset=utf-8', policy })
  }
  const routes = new Elysia({ prefix: '/demo' })
    // The provider's response arrives in the query: any member is accepted.
    .get('', servePage, hidden)
    .get(
      '/*',
      ({ params, request }) => {
        // A file that an older build had: the page in its place would be run as a script.
        if (extname(params['*']) !== '') throw new DomainError(transportProblems.not_found)
        return servePage({ request })
      },
      hidden,
    )
    .get('/config.json', () => pageResponse(settings, 'application/json'), hidden)
    .get(`/${WORKER}`, ({ request }) => serveWorker(request, join(folder, WORKER)), hidden)
  for (const name of listFiles(folder)) {
    const file = join(folder, name)
    const served = { file, type: Bun.file(file).type, hashed: HASHED.test(name) }
    routes.get(`/${name}`, ({ request }) => serveStatic(request, served), hidden)
  }
  return routes
}

async function serveWorker(request: Request, file: string): Promise<Response> {
  const response = await serveStatic(request, { file, type: 'text/javascript', policy: WORKER_POLICY })
  response.headers.set('Service-Worker-Allowed', '/demo')
  return response
}

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== WORKER && !isCoded(entry.name))
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
