import { Elysia } from 'elysia'
import { paths } from './oidc/discovery.ts'
import { Refusal } from './oidc/refusal.ts'
import type { Provider } from './provider.ts'

const dressing = /^\/(?:assets|avatars)\//
const loopbackNames = ['localhost', '127.0.0.1', '[::1]']
const shared = new Set<string>([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  paths.jwks,
  paths.token,
  paths.userinfo,
  paths.revoke,
])

/**
 * What every request passes first: the Host it was sent to (against DNS rebinding), the Origin of control calls
 * (against web pages of others), the log, and CORS.
 */
export function guard({ issuer, requests }: Pick<Provider, 'issuer' | 'requests'>) {
  const hosts = [...loopbackNames, new URL(issuer).hostname]
  return new Elysia({ name: 'mock-idp/guard' }).onRequest(({ request, set }) => {
    const { pathname, host } = new URL(request.url)
    if (!hosts.includes(hostnameOf(`http://${request.headers.get('host') ?? host}`))) {
      return new Refusal(
        403,
        'forbidden',
        'This provider answers on loopback names and its issuer alone.',
      ).toResponse()
    }
    const origin = request.headers.get('origin')
    const control = pathname.startsWith('/_mock')
    const friendly = origin !== null && hosts.includes(hostnameOf(origin))
    if (origin !== null && !friendly && (control || pathname === paths.authorize)) {
      return new Refusal(403, 'forbidden', 'Pages of another origin may not call this.').toResponse()
    }
    if (!control && !dressing.test(pathname)) requests.record(request)
    if (origin !== null && (shared.has(pathname) || control)) {
      Object.assign(
        set.headers,
        control ? { 'access-control-allow-origin': origin, vary: 'origin' } : anyOrigin,
      )
      if (request.method === 'OPTIONS') return preflight(request)
    }
  })
}

/** No cookie counts at these endpoints, so any page may read what a bearer token or a code opens. */
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

/** The host of an origin without its port; empty for `null` and what is no URL. */
function hostnameOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : ''
}
