import { Elysia } from 'elysia'
import { messagePage } from '../pages/message-page.ts'
import type { Provider } from '../provider.ts'
import { answerBrowser, redirect } from './browser-response.ts'
import { type Client, findClient, isRegisteredRedirect } from './clients.ts'
import { browserSessionId, forgetBrowser } from './cookie.ts'
import { paths } from './discovery.ts'
import { Refusal } from './refusal.ts'

/** The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0), by GET or POST. */
export function endSessionRoutes(provider: Provider) {
  const { issuer } = provider
  return new Elysia({ name: 'mock-idp/end-session' })
    .get(paths.endSession, ({ request }) => {
      return answerBrowser(issuer, () => endSession(provider, request, new URL(request.url).searchParams))
    })
    .post(
      paths.endSession,
      ({ request }) =>
        answerBrowser(issuer, async () =>
          endSession(provider, request, new URLSearchParams(await request.text())),
        ),
      { parse: 'none' },
    )
}

/**
 * Closes the browser's sign-in and, with an `id_token_hint`, the grant it came from. Goes on
 * to `post_logout_redirect_uri` only where it is registered for the client.
 */
async function endSession(provider: Provider, request: Request, query: URLSearchParams): Promise<Response> {
  const { grants, tokens } = provider
  const hint = query.get('id_token_hint')
  const claims = hint === null ? undefined : await tokens.verifyIdTokenHint(hint).catch(() => undefined)
  if (hint !== null && !claims)
    throw new Refusal(400, 'invalid_request', 'The id_token_hint is not an ID token of ours.')
  const target = query.get('post_logout_redirect_uri')
  const client = findClientOf(claims?.aud, query.get('client_id'))
  if (target !== null && !(client && isRegisteredRedirect(client, target))) {
    throw new Refusal(
      400,
      'invalid_request',
      'The post_logout_redirect_uri is not registered for this client.',
    )
  }
  if (claims) grants.revokeGrant(String(claims.sid))
  grants.closeBrowserSession(browserSessionId(request))
  const state = query.get('state') ?? undefined
  const response =
    target === null
      ? messagePage({
          title: 'Signed out',
          message: 'You are signed out of the mock provider. Close this page, or go on.',
        })
      : redirect(target, { state })
  response.headers.set('set-cookie', forgetBrowser())
  return response
}

/** The client that a logout is for: the audience of the hint, else the one named; both must agree when both are there. */
function findClientOf(audience: string | string[] | undefined, clientId: string | null): Client | undefined {
  const hinted = Array.isArray(audience) ? audience[0] : audience
  if (hinted !== undefined && clientId !== null && hinted !== clientId) return undefined
  return findClient(hinted ?? clientId ?? undefined)
}
