/** Sign-in with the provider of the staff: the redirect to its page and back, and logout requests of the provider. */
import type { Encryption } from '../../../core/encryption.ts'
import { DomainError } from '../../../core/problems.ts'
import { logSecurityEvent } from '../../../core/security-events.ts'
import type { AppSources } from '../../../core/sources.ts'
import { createGuardedFetch } from '../../../core/ssrf-guard.ts'
import { useOnce } from '../../../identity/auth/single-use.ts'
import { recordAction } from '../../../identity/staff/audit/record.ts'
import { consoleProblems } from '../../../identity/staff/problems.ts'
import {
  createLogoutReader,
  logOutAtProvider,
  logOutWithoutRole,
} from '../../../identity/staff/provider/logout.ts'
import {
  ATTEMPT_MS,
  type Attempt,
  createStaffSignIn,
  type SignInFault,
  SignInRefused,
} from '../../../identity/staff/provider/sign-in.ts'
import {
  createSession,
  endSessionOfToken,
  endSessionsInOtherRoles,
  SESSION_MS,
} from '../../../identity/staff/sessions/sessions.ts'
import { anyone } from '../../../platform/http/contract/group.ts'
import { operation } from '../../../platform/http/contract/operation.ts'
import { requestIdOf } from '../../../platform/http/edge/request-log.ts'
import { failuresOf, uncachedInGroup } from '../../../platform/http/edge/server-hooks.ts'
import { type Fetch, ProviderError } from '../../../platform/identity-provider/fetch-json.ts'
import { consoleConfigOf, consoleUrlOf } from '../contract/settings.ts'
import type { StaffDeps } from '../contract/staff.ts'
import {
  attemptCookie,
  attemptCookieName,
  cookieName,
  readCookie,
  sessionCookie,
} from '../sessions/cookie.ts'
import { EndedSessions } from '../sessions/schema.ts'
import { thrownBy } from './problems.generated.ts'
import { LogoutForm, ProviderResponse, Redirect, SignInOptions } from './schema.ts'

interface ProviderDeps extends StaffDeps, AppSources {
  /** Encrypts the cookies of sign-ins that have begun. */
  signInEncryption: Encryption
  /** The `fetch` for the provider of the staff. In production, the default refuses internal addresses. */
  staffFetch?: Fetch
}

const PREFIX = '/api/session/provider'

export const providerRoutes = (deps: ProviderDeps) => {
  const console = consoleConfigOf(deps)
  const { provider, secure } = console
  const fetch =
    deps.staffFetch ??
    createGuardedFetch({
      publicOnly: deps.config.production,
      allowPrivate: deps.config.identity.allowPrivate,
    })
  const redirectUri = `${consoleUrlOf(console)}${PREFIX}/callback`
  const signIn = provider && createStaffSignIn({ ...deps, provider, redirectUri, fetch })
  const readLogout = provider && createLogoutReader({ ...deps, provider, fetch })

  /** 303: the browser follows with GET, and does not send this address as the referrer. */
  function redirect(location: string, cookies: string[]): never {
    const headers = new Headers({ Location: location, 'Cache-Control': 'no-store' })
    for (const cookie of cookies) headers.append('Set-Cookie', cookie)
    // Guarantee of the cast: a response of its own is sent as it is.
    return new Response(null, { status: 303, headers }) as never
  }
  async function requireUnused({ state, endsAt }: Attempt) {
    if (!(await deps.db.write(tx => useOnce(tx, `sign-in:${state}`, new Date(endsAt)))))
      throw new SignInRefused('expired', 'the response was used before')
  }
  const forgotten = attemptCookie(secure, '', 0)
  const refuse = (fault: SignInFault) => redirect(`/?refused=${fault}`, [forgotten])

  return anyone({ prefix: PREFIX, tag: 'Session' })
    .use(uncachedInGroup())
    .derive(failuresOf)
    .get(
      '',
      () => ({ provider: provider && new URL(provider.issuer).host }),
      operation({
        id: 'readSignInOptions',
        summary: 'List the ways to sign in',
        responses: { 200: SignInOptions },
        data: 'none',
      }),
    )
    .get(
      '/start',
      async ({ request }) => {
        if (!signIn) return refuse('provider')
        // A page of another site, or a picture in it, must not start a sign-in: people start it from the page of the
        // console.
        if (request.headers.get('sec-fetch-site') === 'cross-site') return redirect('/', [])
        try {
          const { location, cookie } = await signIn.begin()
          return redirect(location, [attemptCookie(secure, cookie, ATTEMPT_MS / 1_000)])
        } catch (error) {
          deps.log.warn({ error }, 'the provider of the staff cannot be reached')
          return refuse('provider')
        }
      },
      operation({
        id: 'startProviderSignIn',
        summary: 'Start a sign-in at the provider of the staff',
        responses: { 303: Redirect },
        data: 'none',
      }),
    )
    .get(
      '/callback',
      async ({ failures, query, request, set }) => {
        if (!signIn) return refuse('provider')
        let isAsked = false
        try {
          // Guarantee of the cast: parameters of a query are texts.
          const response = query as Record<string, string | undefined>
          const begun = signIn.read(response, readCookie(request.headers, attemptCookieName(secure)))
          const { staff, sid } = await failures.judgeSecret(
            request,
            async () => {
              await requireUnused(begun.attempt)
              isAsked = true
              return signIn.finish(begun)
            },
            error => isAsked && !(error instanceof ProviderError && error.kind === 'unavailable'),
          )
          const replaced = readCookie(request.headers, cookieName(secure))
          const { token } = await deps.db.write(async tx => {
            if (replaced !== undefined) await endSessionOfToken(tx, replaced)
            await endSessionsInOtherRoles(tx, staff)
            const created = await createSession(tx, staff, sid)
            const subject = { kind: 'session', id: created.id }
            await recordAction(tx, { staff, operation: 'signIn', subject, detail: { provider: true } })
            return created
          })
          return redirect('/', [forgotten, sessionCookie(console, token, SESSION_MS / 1_000)])
        } catch (error) {
          if (error instanceof DomainError) throw error
          const fault = error instanceof SignInRefused ? error.fault : 'provider'
          const staffId = error instanceof SignInRefused ? error.staffId : null
          if (staffId !== null) await deps.db.write(tx => logOutWithoutRole(tx, staffId))
          const requestId = requestIdOf(set)
          logSecurityEvent(deps.log, 'console_sign_in_refused', { requestId, path: `${PREFIX}/callback` })
          deps.log.warn({ requestId, fault, error }, 'staff were not signed in')
          return refuse(fault)
        }
      },
      operation({
        id: 'finishProviderSignIn',
        summary: 'Finish a sign-in at the provider of the staff',
        query: ProviderResponse,
        open: true,
        responses: { 303: Redirect },
        data: 'write',
        limit: 'tokens',
      }),
    )
    .post(
      '/logout',
      async ({ body }) => {
        const token = new URLSearchParams(new TextDecoder().decode(body)).get('logout_token')
        if (!readLogout || token === null) throw new DomainError(consoleProblems.logout_token_not_valid)
        const logout = await readLogout(token)
        return { ended: await deps.db.write(tx => logOutAtProvider(tx, logout)) }
      },
      operation({
        id: 'endProviderSessions',
        summary: 'End sessions of staff at the request of their provider',
        description: 'OpenID Connect Back-Channel Logout 1.0: a form with a `logout_token`.',
        body: LogoutForm,
        responses: { 200: EndedSessions },
        problems: thrownBy.endProviderSessions,
        data: 'write',
        idempotencyKey: 'none',
      }),
    )
}
