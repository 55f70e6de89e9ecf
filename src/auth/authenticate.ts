/** Bearer token → caller. A derive, since it must run before validation: an anonymous caller gets 401, not 422. */
import { bearer } from '@elysiajs/bearer'
import { type Context, Elysia } from 'elysia'
import { decodeJwt } from 'jose'
import type { AuthenticatedCaller } from '../caller.ts'
import type { Deps } from '../deps.ts'
import { rateLimitHeaders } from '../http/rate-limit-headers.ts'
import { limitCaller } from '../limits/policies.ts'
import { DomainError } from '../problems.ts'
import { requireNativeStanding, requireSessionStanding } from './standing.ts'

type AuthDeps = Pick<Deps, 'db' | 'identity' | 'nativeTokens' | 'rateLimiter'>

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
        const { authorization } = headers
        if (authorization === undefined || !/^bearer(\s|$)/i.test(authorization))
          throw new DomainError('unauthenticated')
        // The plugin knows `Bearer` in this spelling alone, and else falls back to `?access_token=`, which ends in
        // histories and logs: only the header counts.
        const spelled = authorization.startsWith('Bearer') ? bearer : authorization.slice('Bearer '.length)
        const token = (spelled ?? '').trim()
        if (!B64_TOKEN.test(token))
          throw new DomainError('invalid_token', { detail: 'The token cannot be read.' })
        const caller = await identify(deps, token)
        limitCaller(deps.rateLimiter, path, caller, allowances =>
          Object.assign(set.headers, rateLimitHeaders(allowances)),
        )
        return { caller }
      },
    )
    .onAfterHandle({ as: 'scoped' }, ({ set }) => keepPrivate(set.headers))

/** What is a caller's own stays in no cache, unless the operation has said how it may. */
function keepPrivate(headers: Context['set']['headers']): void {
  const said = headers['Cache-Control'] ?? headers['cache-control']
  if (said === undefined) headers['Cache-Control'] = 'no-store'
}

async function identify(
  { db, identity, nativeTokens }: AuthDeps,
  token: string,
): Promise<AuthenticatedCaller> {
  if (claimedIssuer(token) === nativeTokens.issuer) {
    const { sessionId } = await nativeTokens.verify(token)
    return { ...(await requireNativeStanding(db.read, sessionId)), credential: { kind: 'native', sessionId } }
  }
  const { subject, tokenId, issuedAt, expiresAt } = await identity.verify(token)
  const caller = { provider: identity.name, subject }
  await requireSessionStanding(db.read, caller, { tokenId, issuedAt })
  return { ...caller, credential: { kind: 'session', token, tokenId, issuedAt, expiresAt } }
}

/** Says only which rule the token asks to be judged by; each rule then verifies it whole. */
function claimedIssuer(token: string): unknown {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
