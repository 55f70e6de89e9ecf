import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Encryption } from '../../core/encryption.ts'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { logSecurityEvent } from '../../core/security-events.ts'
import type { AppSources } from '../../core/sources.ts'
import type { Config } from '../../platform/config/config.ts'
import { anyone } from '../../platform/http/contract/group.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { requestIdOf } from '../../platform/http/edge/request-log.ts'
import { type FanDeps, fans } from './groups.ts'
import { listSessions, refreshSession, revokeSessions, startSession } from './native-sessions.ts'
import { clientOfSessionToken } from './native-tokens.ts'
import { presentGrant, presentSession } from './present.ts'
import { thrownBy } from './problems.generated.ts'
import { authProblems } from './problems.ts'
import * as schema from './schema.ts'
import { isRefreshRefused, lockSignIn, logOut, requireValidSessionToken } from './token-validity.ts'

type SignInDeps = FanDeps & {
  cursors: Cursors
  config: Config
  log: Logger
  newId: AppSources['newId']
  randomBytes: AppSources['randomBytes']
  tokenEncryption: Encryption
}

/** Headers of responses that contain secrets. Such responses are not stored under an `Idempotency-Key` either. */
const SECRET = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/** Operations without an access token: the refresh token is itself a credential, and the keys are public. */
const publicRoutes = (deps: SignInDeps) =>
  anyone({ prefix: '', tag: 'Sign-in' })
    .get(
      '/.well-known/jwks.json',
      ({ set }) => {
        set.headers['Cache-Control'] = 'public, max-age=300'
        // Guarantee of the cast: keys that sign have these members.
        return deps.nativeTokens.jwks as typeof schema.KeySet.static
      },
      operation({
        id: 'getNativeTokenKeys',
        summary: 'Get the public keys of native tokens',
        description: 'A JSON Web Key Set, for services that verify native tokens themselves.',
        data: 'none',
        responses: { 200: schema.KeySet },
        examples: { 200: schema.exampleKeySet },
      }),
    )
    .post(
      '/api/auth/native-token/refresh',
      async ({ body, set }) => {
        const grant = await deps.db.write(async tx => {
          const granted = await refreshSession(tx, body.refreshToken, (event, sessionId) =>
            logSecurityEvent(deps.log, event, { requestId: requestIdOf(set), sessionId }),
          )
          return granted && (await isRefreshRefused(tx, granted.session)) ? null : granted
        })
        // Thrown after the commit: a rollback would undo the revocation of the session after a reuse.
        if (!grant) throw new DomainError(authProblems.invalid_refresh_token)
        Object.assign(set.headers, SECRET)
        return presentGrant(deps, grant)
      },
      operation({
        id: 'refreshNativeToken',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Refresh a native token',
        description:
          'Each refresh token is valid for one refresh. A client that did not receive the response sends the same one again, however late: it is accepted until the token of a later response has been used. Any other reuse ends the session of the device.',
        body: schema.RefreshNativeToken,
        responses: { 200: schema.NativeToken },
        problems: thrownBy.refreshNativeToken,
        examples: {
          body: { refreshToken: schema.exampleNativeToken.refreshToken },
          200: schema.exampleNativeToken,
        },
      }),
    )

const callerRoutes = (deps: SignInDeps) =>
  fans(deps, { prefix: '/api/auth', tag: 'Sign-in' })
    .post(
      '/native-token',
      async ({ caller, body, set }) => {
        const { credential, subject } = caller
        if (credential.kind !== 'session') throw new DomainError(authProblems.session_required)
        const { token, issuedAt, expiresAt: tokenExpiresAt } = credential
        const encryptedToken = deps.tokenEncryption.encrypt(token, subject, deps.randomBytes(12))
        const origin = { issuedAt, encryptedToken, tokenExpiresAt, clientId: clientOfSessionToken(token) }
        const grant = await deps.db.write(async tx => {
          await lockSignIn(tx, caller)
          // Under the lock: a concurrent logout everywhere or erasure either commits first and is seen here, or ends this session.
          await requireValidSessionToken(tx, caller, credential)
          return startSession(tx, caller, body.deviceName ?? null, origin, deps.config.nativeTokens.sessionMs)
        })
        Object.assign(set.headers, SECRET)
        return presentGrant(deps, grant)
      },
      operation({
        id: 'createNativeToken',
        whenSuspended: 'allowed',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Exchange your session for a native token',
        description:
          'For native apps. The native token expires after 15 minutes; the refresh token gets the next one.',
        body: schema.RequestNativeToken,
        responses: { 200: schema.NativeToken },
        problems: thrownBy.createNativeToken,
        examples: { body: { deviceName: 'Calebe’s phone' }, 200: schema.exampleNativeToken },
      }),
    )
    .post(
      '/logout',
      async ({ caller, body, set, status }) => {
        await deps.db.write(tx => logOut(tx, caller, body.everywhere ?? false))
        if (body.everywhere) {
          const userId = caller.userId || undefined
          logSecurityEvent(deps.log, 'logout_everywhere', { requestId: requestIdOf(set), userId })
        }
        return status(204, undefined)
      },
      operation({
        id: 'logOut',
        whenSuspended: 'allowed',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Log out',
        description:
          'With a native token, ends the session of its device. With a session token, revokes that token. `everywhere` ends all sessions and revokes all session tokens.',
        body: schema.LogOut,
        responses: { 204: schema.Empty },
        examples: { body: { everywhere: false } },
      }),
    )
    .get(
      '/sessions',
      async ({ caller, query }) => {
        const page = await listSessions(deps.db.read, deps.cursors, caller, pageOf(query))
        return { ...page, sessions: page.sessions.map(session => presentSession(session, caller.credential)) }
      },
      operation({
        id: 'listSessions',
        limit: 'tokens',
        summary: 'List your signed-in devices',
        description: 'The devices with an active native session, newest first.',
        query: Closed(PageQuery),
        responses: { 200: schema.NativeSessions },
        problems: thrownBy.listSessions,
        examples: { 200: schema.exampleSessions },
      }),
    )
    .delete(
      '/sessions/:sessionId',
      async ({ caller, params, status }) => {
        const ended = await deps.db.write(tx => revokeSessions(tx, caller, params.sessionId))
        if (ended === 0) throw new DomainError(authProblems.session_not_found)
        return status(204, undefined)
      },
      operation({
        id: 'endSession',
        whenSuspended: 'allowed',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Sign out a device',
        description: 'Its native token and its refresh token stop working at once.',
        params: schema.SessionParams,
        body: Nothing,
        responses: { 204: schema.Empty },
        problems: thrownBy.endSession,
      }),
    )

export const authRoutes = (deps: SignInDeps) =>
  new Elysia({ name: 'matchday/auth-routes' }).use(publicRoutes(deps)).use(callerRoutes(deps))
