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
    if (!hosts.includes(hostnameOf(`http://${request.headers.get('host') ?? host}`)))
      return forbid('The Host must be a loopback name or the host of the issuer.')
    const origin = request.headers.get('origin')
    const control = pathname.startsWith('/_mock')
    const allowed = origin !== null && hosts.includes(hostnameOf(origin))
    if (origin !== null && !allowed && (control || pathname === paths.authorize))
      return forbid('Pages of another origin may not call this path.')
    if (!control && !staticFiles.test(pathname)) requests.record(request)
    if (origin !== null && (corsPaths.has(pathname) || control)) {
      const ownOrigin = { 'access-control-allow-origin': origin, vary: 'origin' }
      Object.assign(set.headers, control ? ownOrigin : anyOrigin)
      if (request.method === 'OPTIONS') return preflight(request)
    }
  })
}

const forbid = (description: string) => new OAuthError(403, 'forbidden', description).toResponse()

/** These endpoints ignore cookies, so a page of any origin may read their responses. */
const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
}

function preflight(request: Request): Response {
  const requested = request.headers.get('access-control-request-headers')
  const headers = {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': requested ?? 'content-type',
    'access-control-max-age': '600',
  }
  return new Response(null, { status: 204, headers })
}

/** The hostname of an origin; empty for `null` and for an invalid URL. */
function hostnameOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : ''
}
