/** Bearer token → caller. A derive, since it must run before validation: an anonymous caller gets 401, not 422. */
import { bearer } from '@elysiajs/bearer'
import { type Context, Elysia } from 'elysia'
import { decodeJwt } from 'jose'
import { LRUCache } from 'lru-cache'
import type { AuthenticatedCaller, Caller } from '../caller.ts'
import type { Deps } from '../deps.ts'
import { rateLimitHeaders } from '../http/rate-limit-headers.ts'
import { limitCaller } from '../limits/policies.ts'
import { DomainError } from '../problems.ts'
import { viewNativeStanding, viewSessionStanding } from './standing-view.ts'

export type AuthDeps = Pick<Deps, 'db' | 'identity' | 'nativeTokens' | 'rateLimiter' | 'views'>

/** RFC 6750 §2.1: the `b64token` syntax. Two Authorization headers arrive joined by a comma and fail it. */
const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Adds `caller` to every route of the group that uses it.
 * @throws DomainError `unauthenticated`, `invalid_token`, `identity_provider_unavailable`, `rate_limited`
 */
export const authenticate = (deps: AuthDeps) =>
  new Elysia({ name: 'matchday/authenticate' })
    .use(bearer())
    .derive(
      { as: 'scoped' },
      async ({ bearer, headers, path, set }): Promise<{ caller: AuthenticatedCaller }> => {
        const caller = await identify(deps, tokenOf(headers.authorization, bearer))
        countCaller(deps, path, caller, set.headers)
        return { caller }
      },
    )
    .onAfterHandle({ as: 'scoped' }, ({ set }) => keepPrivate(set.headers))

/**
 * The same for routes that anybody may call: null without an Authorization header. One that is there must be good.
 * @throws DomainError as `authenticate`
 */
export const authenticateIfGiven = (deps: AuthDeps) =>
  new Elysia({ name: 'matchday/authenticate-if-given' })
    .use(bearer())
    .derive(
      { as: 'scoped' },
      async ({ bearer, headers, path, set }): Promise<{ caller: AuthenticatedCaller | null }> => {
        const { authorization } = headers
        if (authorization === undefined) return { caller: null }
        const caller = await identify(deps, tokenOf(authorization, bearer))
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

function tokenOf(authorization: string | undefined, bearer: string | undefined): string {
  if (authorization === undefined || !/^bearer(\s|$)/i.test(authorization))
    throw new DomainError('unauthenticated')
  // The plugin knows `Bearer` in this spelling alone, and else falls back to `?access_token=`, which ends in
  // histories and logs: only the header counts.
  const spelled = authorization.startsWith('Bearer') ? bearer : authorization.slice('Bearer '.length)
  const token = (spelled ?? '').trim()
  if (!B64_TOKEN.test(token)) throw new DomainError('invalid_token', { detail: 'The token cannot be read.' })
  return token
}

async function identify(
  { db, identity, nativeTokens, views }: AuthDeps,
  token: string,
): Promise<AuthenticatedCaller> {
  if (claimedIssuer(token) === nativeTokens.issuer) {
    const { sessionId } = await nativeTokens.verify(token)
    const session = await viewNativeStanding(db.read, views, sessionId)
    return { ...session, credential: { kind: 'native', sessionId } }
  }
  const { subject, tokenId, issuedAt, expiresAt } = await identity.verify(token)
  const caller = { provider: identity.name, subject }
  const userId = await viewSessionStanding(db.read, views, caller, { tokenId, issuedAt })
  return { ...caller, userId, credential: { kind: 'session', token, tokenId, issuedAt, expiresAt } }
}

/** Bounded by their text: anybody can send tokens. */
const issuers = new LRUCache<string, { issuer: unknown }>({
  maxSize: 16 * 1024 * 1024,
  maxEntrySize: 8_192,
  sizeCalculation: (_, token) => token.length + 200,
})

/** Says only which rule the token asks to be judged by; each rule then verifies it whole. */
function claimedIssuer(token: string): unknown {
  const known = issuers.get(token) ?? { issuer: readIssuer(token) }
  issuers.set(token, known)
  return known.issuer
}

function readIssuer(token: string): unknown {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
