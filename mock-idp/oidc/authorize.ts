import { Elysia } from 'elysia'
import { signInPage } from '../pages/sign-in-page.ts'
import type { Provider } from '../provider.ts'
import { AuthorizeError, type AuthorizeRequest, parseAuthorizeRequest } from './authorize-request.ts'
import { answerBrowser, redirect } from './browser-response.ts'
import { browserSessionId, rememberBrowser } from './cookie.ts'
import { paths } from './discovery.ts'
import type { BrowserSession } from './grants.ts'
import { Refusal } from './refusal.ts'

/** The authorization endpoint with its sign-in page. */
export function authorizeRoutes(provider: Provider) {
  const { issuer } = provider
  return new Elysia({ name: 'mock-idp/authorize' })
    .get(paths.authorize, ({ request }) => answerBrowser(issuer, () => showSignIn(provider, request)))
    .post(paths.authorize, ({ request }) => answerBrowser(issuer, () => signIn(provider, request)), {
      parse: 'none',
    })
}

function showSignIn(provider: Provider, request: Request): Response {
  const query = new URL(request.url).searchParams
  const asked = parseAuthorizeRequest(query)
  const session = currentSession(provider, request, asked)
  if (asked.prompts.includes('none')) {
    if (session) return redirectWithCode(provider, asked, session)
    throw new AuthorizeError('login_required', 'No fan is signed in.', asked.redirectUri, asked.state)
  }
  const { users } = provider
  const hinted = asked.loginHint === undefined ? undefined : users.findByHint(asked.loginHint)
  const search =
    query.get('q') ?? (hinted || !users.search(asked.loginHint).length ? '' : (asked.loginHint ?? ''))
  return signInPage({
    request: asked,
    hinted,
    current: session && !asked.prompts.includes('login') ? users.find(session.sub) : undefined,
    users: users.search(search),
    total: users.size,
    search,
    page: Number(/^\d{1,6}$/.exec(query.get('page') ?? '')?.[0] ?? 1),
  })
}

async function signIn(provider: Provider, request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text())
  const asked = parseAuthorizeRequest(form)
  const user = provider.users.find(form.get('sub') ?? '')
  if (!user)
    throw new Refusal(400, 'invalid_request', 'There is no such fan any more. Go back and pick another.')
  provider.requests.attribute(request, user.sub)
  const session = { sub: user.sub, authTime: provider.clock.seconds() }
  const response = redirectWithCode(provider, asked, session)
  response.headers.set('set-cookie', rememberBrowser(provider.grants.openBrowserSession(session)))
  return response
}

/** The browser's sign-in, when it is still good for this request. */
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
  asked: AuthorizeRequest,
  session: BrowserSession,
): Response {
  const { client, scope, nonce, redirectUri, challenge, state } = asked
  const grant = { ...session, clientId: client.id, scope, nonce }
  const code = grants.issueCode(grant, { redirectUri, challenge })
  return redirect(redirectUri, { code, state, iss: issuer })
}
