import { Elysia } from 'elysia'
import { signInPage } from '../pages/sign-in-page.ts'
import type { Provider } from '../provider.ts'
import { AuthorizeError, type AuthorizeRequest, parseAuthorizeRequest } from './authorize-request.ts'
import { redirect, respondToBrowser } from './browser-response.ts'
import { browserSessionId, sessionCookie } from './cookie.ts'
import { paths } from './discovery.ts'
import type { BrowserSession } from './grants.ts'
import { invalidRequest } from './oauth-error.ts'

/** The authorization endpoint with its sign-in page. */
export function authorizeRoutes(provider: Provider) {
  const { issuer } = provider
  return new Elysia({ name: 'mock-idp/authorize' })
    .get(paths.authorize, ({ request }) => respondToBrowser(issuer, () => showSignIn(provider, request)))
    .post(paths.authorize, ({ request }) => respondToBrowser(issuer, () => signIn(provider, request)))
}

function showSignIn(provider: Provider, request: Request): Response {
  const query = new URL(request.url).searchParams
  const authorization = parseAuthorizeRequest(query)
  const session = currentSession(provider, request, authorization)
  if (authorization.prompts.includes('none')) {
    if (session) return redirectWithCode(provider, authorization, session)
    throw new AuthorizeError('login_required', 'No fan is signed in.', authorization)
  }
  const { users } = provider
  const hinted = authorization.loginHint === undefined ? undefined : users.findByHint(authorization.loginHint)
  const search =
    query.get('q') ??
    (hinted || !users.search(authorization.loginHint).length ? '' : (authorization.loginHint ?? ''))
  return signInPage({
    request: authorization,
    hinted,
    current: session && !authorization.prompts.includes('login') ? users.find(session.sub) : undefined,
    users: users.search(search),
    stageOf: sub => users.seededStage(sub),
    total: users.size,
    search,
    page: Number(/^\d{1,6}$/.exec(query.get('page') ?? '')?.[0] ?? 1),
  })
}

async function signIn(provider: Provider, request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text())
  const authorization = parseAuthorizeRequest(form)
  const user = provider.users.find(form.get('sub') ?? '')
  if (!user) throw invalidRequest('This fan no longer exists. Go back and pick another.')
  provider.requests.note(request, { sub: user.sub })
  const session = { sub: user.sub, authTime: provider.clock.seconds() }
  const response = redirectWithCode(provider, authorization, session)
  response.headers.set('set-cookie', sessionCookie(provider.grants.openBrowserSession(session)))
  return response
}

/** The browser's sign-in, if it is recent enough for this request. */
function currentSession(
  provider: Provider,
  request: Request,
  { maxAge }: AuthorizeRequest,
): BrowserSession | undefined {
  const session = provider.grants.findBrowserSession(browserSessionId(request))
  if (!session || !provider.users.find(session.sub)) return undefined
  const age = provider.clock.seconds() - session.authTime
  return maxAge !== undefined && age > maxAge ? undefined : session
}

function redirectWithCode(
  { grants, issuer }: Provider,
  authorization: AuthorizeRequest,
  session: BrowserSession,
): Response {
  const { client, scope, nonce, redirectUri, challenge, state } = authorization
  const grant = { ...session, clientId: client.id, scope, nonce }
  const code = grants.issueCode(grant, { redirectUri, challenge })
  return redirect(redirectUri, { code, state, iss: issuer })
}
