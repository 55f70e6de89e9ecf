/** Bearer token → caller. A derive, since it must run before validation: an anonymous caller gets 401, not 422. */

import { type Context, Elysia } from 'elysia'
import { decodeJwt } from 'jose'
import type { Database } from '../../db/index.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import type { AuthenticatedCaller, Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'
import { limitCaller } from '../http/rate-limits/policies.ts'
import { rateLimitHeaders } from '../http/rate-limits/rate-limit-headers.ts'
import type { RateLimiter } from '../http/rate-limits/rate-limiter.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import type { SessionClaims } from '../identity-provider/session-token.ts'
import { viewNativeStanding, viewSessionStanding } from './cached-token-validity.ts'
import type { NativeTokens, VerifiedNativeToken } from './native-token.ts'

export interface AuthDeps {
  db: Database
  identity: IdentityProvider
  nativeTokens: NativeTokens
  rateLimiter: RateLimiter
  tokenValidityCache: ResponseCache
}

/** RFC 6750 §2.1: the `b64token` syntax. Two Authorization headers arrive joined by a comma and fail it. */
const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Adds `caller` to every route of the group that uses it.
 * @throws DomainError `unauthenticated`, `invalid_token`, `identity_provider_unavailable`, `rate_limited`
 */
export const authenticate = (deps: AuthDeps) =>
  new Elysia({ name: 'matchday/authenticate' })
    .derive({ as: 'scoped' }, async ({ path, request, set }): Promise<{ caller: AuthenticatedCaller }> => {
      const caller = await identify(deps, tokenOf(request.headers.get('authorization')))
      countCaller(deps, path, caller, set.headers)
      return { caller }
    })
    .onAfterHandle({ as: 'scoped' }, ({ set }) => keepPrivate(set.headers))

/**
 * The same for routes that anybody may call: null without an Authorization header. One that is there must be good.
 * @throws DomainError as `authenticate`
 */
export const authenticateIfGiven = (deps: AuthDeps) =>
  new Elysia({ name: 'matchday/authenticate-if-given' }).derive(
    { as: 'scoped' },
    async ({ path, request, set }): Promise<{ caller: AuthenticatedCaller | null }> => {
      const authorization = request.headers.get('authorization')
      if (authorization === null) return { caller: null }
      const caller = await identify(deps, tokenOf(authorization))
      countCaller(deps, path, caller, set.headers)
      return { caller }
    },
  )

type ResponseHeaders = Context['set']['headers']

function countCaller({ rateLimiter }: AuthDeps, path: string, caller: Caller, headers: ResponseHeaders) {
  limitCaller(rateLimiter, path, caller, allowances => Object.assign(headers, rateLimitHeaders(allowances)))
}

/** What is a caller's own stays in no cache, unless the operation has said how it may. */
function keepPrivate(headers: ResponseHeaders): void {
  const said = headers['Cache-Control'] ?? headers['cache-control']
  if (said === undefined) headers['Cache-Control'] = 'no-store'
}

/** Of the header alone: `?access_token=` (RFC 6750 §2.3) would end in histories and logs. */
function tokenOf(authorization: string | null): string {
  if (authorization === null || !/^bearer(\s|$)/i.test(authorization))
    throw new DomainError('unauthenticated')
  return authorization.slice('Bearer '.length).trim()
}

async function identify(deps: AuthDeps, token: string): Promise<AuthenticatedCaller> {
  const { identity, nativeTokens } = deps
  const session = identity.recall(token)
  if (session) return identifySession(deps, token, session)
  const native = nativeTokens.recall(token)
  if (native) return identifyNative(deps, native)
  return claimedIssuer(token) === nativeTokens.issuer
    ? identifyNative(deps, await nativeTokens.verify(token))
    : identifySession(deps, token, await identity.verify(token))
}

async function identifySession(
  { db, identity, tokenValidityCache }: AuthDeps,
  token: string,
  claims: SessionClaims,
) {
  const { name: provider } = identity
  const { subject, tokenId } = claims
  const [issuedAt, expiresAt] = [new Date(claims.issuedAt), new Date(claims.expiresAt)]
  const credential = { kind: 'session' as const, token, tokenId, issuedAt, expiresAt }
  const userId = await viewSessionStanding(db.read, tokenValidityCache, { provider, subject }, credential)
  return { provider, subject, userId, credential }
}

async function identifyNative(deps: AuthDeps, { sessionId, subject }: VerifiedNativeToken) {
  const { db, identity, tokenValidityCache } = deps
  const session = await viewNativeStanding(
    db.read,
    tokenValidityCache,
    { provider: identity.name, subject },
    sessionId,
  )
  return { ...session, credential: { kind: 'native' as const, sessionId } }
}

/**
 * Says only which rule the token asks to be judged by; each rule then verifies it whole.
 * @throws DomainError `invalid_token` (no token at all)
 */
function claimedIssuer(token: string): unknown {
  if (!B64_TOKEN.test(token)) throw new DomainError('invalid_token', { detail: 'The token cannot be read.' })
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
