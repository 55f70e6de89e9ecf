import { Elysia } from 'elysia'
import { paths } from './oidc/discovery.ts'
import { OAuthError } from './oidc/oauth-error.ts'
import type { Provider } from './provider.ts'

const staticFiles = /^\/(?:assets|avatars)\//
const loopbackNames = ['localhost', '127.0.0.1', '[::1]']
const corsPaths = new Set<string>([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  paths.jwks,
  paths.token,
  paths.userinfo,
  paths.revoke,
])

/**
 * Runs before every route: checks Host (against DNS rebinding) and the Origin of control calls and sign-ins (against
 * other web pages), writes the request log, and handles CORS.
 */
export function guard({ issuer, requests }: Pick<Provider, 'issuer' | 'requests'>) {
  const hosts = [...loopbackNames, new URL(issuer).hostname]
  return new Elysia({ name: 'mock-idp/guard' }).onRequest(({ request, set }) => {
    const { pathname, host } = new URL(request.url)
    if (!hosts.includes(hostnameOf(`http://${request.headers.get('host') ?? host}`))) {
      return new OAuthError(
        403,
        'forbidden',
        'The Host must be a loopback name or the host of the issuer.',
      ).toResponse()
    }
    const origin = request.headers.get('origin')
    const control = pathname.startsWith('/_mock')
    const allowed = origin !== null && hosts.includes(hostnameOf(origin))
    if (origin !== null && !allowed && (control || pathname === paths.authorize)) {
      return new OAuthError(403, 'forbidden', 'Pages of another origin may not call this path.').toResponse()
    }
    if (!control && !staticFiles.test(pathname)) requests.record(request)
    if (origin !== null && (corsPaths.has(pathname) || control)) {
      Object.assign(
        set.headers,
        control ? { 'access-control-allow-origin': origin, vary: 'origin' } : anyOrigin,
      )
      if (request.method === 'OPTIONS') return preflight(request)
    }
  })
}

/** These endpoints ignore cookies, so a page of any origin may read their responses. */
const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
}

function preflight(request: Request): Response {
  const headers = new Headers({ 'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE' })
  headers.set(
    'access-control-allow-headers',
    request.headers.get('access-control-request-headers') ?? 'content-type',
  )
  headers.set('access-control-max-age', '600')
  return new Response(null, { status: 204, headers })
}

/** The hostname of an origin; empty for `null` and for an invalid URL. */
function hostnameOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : ''
}
