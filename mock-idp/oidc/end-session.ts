import { Elysia } from 'elysia'
import { messagePage } from '../pages/message-page.ts'
import type { Provider } from '../provider.ts'
import { redirect, respondToBrowser } from './browser-response.ts'
import { type Client, findClient, isRegisteredRedirect } from './clients.ts'
import { browserSessionId, expiredSessionCookie } from './cookie.ts'
import { paths } from './discovery.ts'
import { invalidRequest } from './oauth-error.ts'

/** The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0), by GET or POST. */
export function endSessionRoutes(provider: Provider) {
  const { issuer } = provider
  return new Elysia({ name: 'mock-idp/end-session' })
    .get(paths.endSession, ({ request }) => {
      return respondToBrowser(issuer, () => endSession(provider, request, new URL(request.url).searchParams))
    })
    .post(paths.endSession, ({ request }) => {
      const form = async () => new URLSearchParams(await request.text())
      return respondToBrowser(issuer, async () => endSession(provider, request, await form()))
    })
}

/**
 * Ends the browser session and, with an `id_token_hint`, revokes the grant of that token. Redirects to
 * `post_logout_redirect_uri` only if it is registered for the client.
 */
async function endSession(provider: Provider, request: Request, query: URLSearchParams): Promise<Response> {
  const { grants, tokens } = provider
  const hint = query.get('id_token_hint')
  const claims = hint === null ? undefined : await tokens.verifyIdTokenHint(hint).catch(() => undefined)
  if (hint !== null && !claims) throw invalidRequest('The id_token_hint is not an ID token of this provider.')
  const target = query.get('post_logout_redirect_uri')
  const client = findClientOf(claims?.aud, query.get('client_id'))
  if (target !== null && !(client && isRegisteredRedirect(client, target)))
    throw invalidRequest('The post_logout_redirect_uri is not registered for this client.')
  if (claims) grants.revokeGrant(String(claims.sid))
  grants.closeBrowserSession(browserSessionId(request))
  const state = query.get('state') ?? undefined
  const response =
    target === null
      ? messagePage('Signed out', 'You are signed out of the mock provider. You can close this page.')
      : redirect(target, { state })
  response.headers.set('set-cookie', expiredSessionCookie())
  return response
}

/** The client of a logout: the audience of the hint or `client_id`; they must match when both are given. */
function findClientOf(audience: string | string[] | undefined, clientId: string | null): Client | undefined {
  const hinted = Array.isArray(audience) ? audience[0] : audience
  if (hinted !== undefined && clientId !== null && hinted !== clientId) return undefined
  return findClient(hinted ?? clientId ?? undefined)
}
