import { type Context, Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { DomainError } from '../core/problems.ts'
import { logSecurityEvent } from '../core/security-events.ts'
import type { AppSources } from '../core/sources.ts'
import { anyone } from '../http/contract/group.ts'
import { Nothing, operation } from '../http/contract/operation.ts'
import type { TokenEncryption } from '../users/token-encryption.ts'
import { type FanDeps, fans } from './groups.ts'
import { listSessions, refreshSession, revokeSessions, startSession } from './native-sessions.ts'
import { clientOfSessionToken } from './native-token.ts'
import { presentGrant, presentSession } from './present.ts'
import {
  Empty,
  exampleKeySet,
  exampleNativeToken,
  exampleSessions,
  KeySet,
  LogOut,
  NativeSessions,
  NativeToken,
  RefreshNativeToken,
  RequestNativeToken,
  SessionParams,
} from './schema.ts'
import { isRefreshRefused, lockSignIn, logOut, requireValidSessionToken } from './token-validity.ts'

type SignInDeps = FanDeps & {
  config: Config
  log: Logger
  newId: AppSources['newId']
  randomBytes: AppSources['randomBytes']
  tokenEncryption: TokenEncryption
}

/** Answers here carry secrets: they are never cached, and never stored for a replay. */
const SECRET = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

const requestIdOf = ({ headers }: Pick<Context['set'], 'headers'>) => String(headers['x-request-id'])

/** What needs no access token: the refresh token and the public keys speak for themselves. */
const publicRoutes = (deps: SignInDeps) =>
  anyone({ prefix: '', tag: 'Sign-in' })
    .get(
      '/.well-known/jwks.json',
      ({ set }) => {
        set.headers['Cache-Control'] = 'public, max-age=300'
        return deps.nativeTokens.jwks as typeof KeySet.static
      },
      operation({
        id: 'getNativeTokenKeys',
        summary: 'Keys that native tokens verify with',
        description: 'A JSON Web Key Set, for services that verify native tokens by themselves.',
        responses: { 200: KeySet },
        examples: { responses: { 200: exampleKeySet } },
      }),
    )
    .post(
      '/api/auth/native-token/refresh',
      async ({ body, set }) => {
        const grant = await deps.db.write(async tx => {
          const granted = await refreshSession(tx, body.refreshToken, ({ id: sessionId }) =>
            logSecurityEvent(deps.log, 'refresh_token_reused', { requestId: requestIdOf(set), sessionId }),
          )
          return granted && (await isRefreshRefused(tx, granted.session)) ? null : granted
        })
        // Thrown here, not inside: a reuse must not undo the end of its session.
        if (!grant) throw new DomainError('invalid_refresh_token')
        Object.assign(set.headers, SECRET)
        return presentGrant(deps, grant)
      },
      operation({
        id: 'refreshNativeToken',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Refresh a native token',
        description:
          'Each refresh token is good once. Using a spent one more than 10 s later ends the session on that device; within 10 s the immediate predecessor is forgiven, for the answer that was lost on the way.',
        data: 'write',
        body: RefreshNativeToken,
        responses: { 200: NativeToken },
        problems: ['invalid_refresh_token'],
        examples: {
          body: { refreshToken: exampleNativeToken.refreshToken },
          responses: { 200: exampleNativeToken },
        },
      }),
    )

const callerRoutes = (deps: SignInDeps) =>
  fans(deps, { prefix: '/api/auth', tag: 'Sign-in' })
    .post(
      '/native-token',
      async ({ caller, body, set }) => {
        const { credential } = caller
        if (credential.kind !== 'session') throw new DomainError('session_required')
        const sealedToken = deps.tokenEncryption.encrypt(
          credential.token,
          caller.subject,
          deps.randomBytes(12),
        )
        const origin = {
          issuedAt: credential.issuedAt,
          sealedToken,
          tokenExpiresAt: credential.expiresAt,
          clientId: clientOfSessionToken(credential.token),
        }
        const grant = await deps.db.write(async tx => {
          await lockSignIn(tx, caller)
          // Under the lock: a logout everywhere or an erasure is either seen here, or finds this device and ends it.
          await requireValidSessionToken(tx, caller, credential)
          return startSession(tx, caller, body.deviceName ?? null, origin, deps.config.nativeTokens.sessionMs)
        })
        Object.assign(set.headers, SECRET)
        return presentGrant(deps, grant)
      },
      operation({
        id: 'createNativeToken',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Exchange your session for a native token',
        description:
          'For native apps: 15 minutes of access, refreshed for as long as the device stays signed in.',
        data: 'write',
        body: RequestNativeToken,
        responses: { 200: NativeToken },
        problems: ['session_required'],
        examples: { body: { deviceName: 'Calebe’s phone' }, responses: { 200: exampleNativeToken } },
      }),
    )
    .post(
      '/logout',
      async ({ caller, body, set, status }) => {
        await deps.db.write(tx => logOut(tx, caller, body.everywhere ?? false))
        if (body.everywhere) {
          const { userId } = caller
          logSecurityEvent(deps.log, 'logout_everywhere', { requestId: requestIdOf(set), userId })
        }
        return status(204, undefined)
      },
      operation({
        id: 'logOut',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Log out',
        description:
          'With a native token: ends the session of its device. With a session token: that token is refused from now on. `everywhere` ends all of them.',
        data: 'write',
        body: LogOut,
        responses: { 204: Empty },
        examples: { body: { everywhere: false } },
      }),
    )
    .get(
      '/sessions',
      async ({ caller }) => {
        const sessions = await listSessions(deps.db.read, caller)
        return { sessions: sessions.map(session => presentSession(session, caller.credential)) }
      },
      operation({
        id: 'listSessions',
        limit: 'tokens',
        summary: 'List your signed-in devices',
        description: 'The devices that hold a native token of yours.',
        data: 'read',
        responses: { 200: NativeSessions },
        examples: { responses: { 200: exampleSessions } },
      }),
    )
    .delete(
      '/sessions/:sessionId',
      async ({ caller, params, status }) => {
        const ended = await deps.db.write(tx => revokeSessions(tx, caller, params.sessionId))
        if (ended === 0) throw new DomainError('session_not_found')
        return status(204, undefined)
      },
      operation({
        id: 'endSession',
        limit: 'tokens',
        idempotencyKey: 'none',
        summary: 'Sign a device out',
        description: 'Its native token and its refresh token stop working at once.',
        data: 'write',
        params: SessionParams,
        body: Nothing,
        responses: { 204: Empty },
        problems: ['session_not_found'],
      }),
    )

export const authRoutes = (deps: SignInDeps) =>
  new Elysia({ name: 'matchday/auth-routes' }).use(publicRoutes(deps)).use(callerRoutes(deps))
