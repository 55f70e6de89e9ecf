/** Bearer token → caller. A derive, since it must run before validation: an anonymous caller gets 401, not 422. */
import { bearer } from '@elysiajs/bearer'
import { Elysia } from 'elysia'
import { decodeJwt } from 'jose'
import type { AuthenticatedCaller } from '../caller.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../problems.ts'
import { requireNativeStanding, requireSessionStanding } from './standing.ts'

type AuthDeps = Pick<Deps, 'db' | 'identity' | 'nativeTokens'>

/** RFC 6750 §2.1: the `b64token` syntax. Two Authorization headers arrive joined by a comma and fail it. */
const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Adds `caller` to every route of the group that uses it.
 * @throws DomainError `unauthenticated`, `invalid_token`, `identity_provider_unavailable`
 */
export const authenticate = (deps: AuthDeps) =>
  new Elysia({ name: 'matchday/authenticate' })
    .use(bearer())
    .derive({ as: 'scoped' }, async ({ bearer, headers }): Promise<{ caller: AuthenticatedCaller }> => {
      return { caller: await identify(deps, tokenOf(headers.authorization, bearer)) }
    })

/**
 * The same for routes that anybody may call: null without an Authorization header. One that is there must be good.
 * @throws DomainError as `authenticate`
 */
export const authenticateIfGiven = (deps: AuthDeps) =>
  new Elysia({ name: 'matchday/authenticate-if-given' })
    .use(bearer())
    .derive(
      { as: 'scoped' },
      async ({ bearer, headers }): Promise<{ caller: AuthenticatedCaller | null }> => {
        const { authorization } = headers
        if (authorization === undefined) return { caller: null }
        return { caller: await identify(deps, tokenOf(authorization, bearer)) }
      },
    )

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
