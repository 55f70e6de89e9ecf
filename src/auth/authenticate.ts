/** Bearer token → caller. */
import { decodeJwt } from 'jose'
import type { Database } from '../../db/index.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import type { AuthenticatedCaller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import type { SessionClaims } from '../identity-provider/session-token.ts'
import { checkNativeToken, checkSessionToken } from './cached-token-validity.ts'
import type { NativeTokens, VerifiedNativeToken } from './native-token.ts'

export interface AuthDeps {
  db: Database
  identity: IdentityProvider
  nativeTokens: NativeTokens
  tokenValidityCache: ResponseCache
}

/** RFC 6750 §2.1: the `b64token` syntax. Two Authorization headers arrive joined by a comma and fail it. */
const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

const SCHEME_MISSING = 'The Authorization header must be "Bearer", a space, and the token.'

/**
 * The token of the Authorization header. The bearer plugin also reads `?access_token=` (RFC 6750 §2.3), which histories and
 * logs would store: it is ignored. Schemes are case-insensitive (RFC 9110 §11.1).
 * @throws DomainError `unauthenticated`
 */
export function tokenOf(authorization: string | null, bearer: string | undefined): string {
  if (authorization === null || !/^bearer(\s|$)/i.test(authorization))
    throw new DomainError('unauthenticated', authorization === null ? {} : { detail: SCHEME_MISSING })
  const token = authorization.startsWith('Bearer') ? bearer : authorization.slice('Bearer '.length)
  return token?.trim() ?? ''
}

/** Verifies the token and its validity. @throws DomainError `invalid_token`, `identity_provider_unavailable` */
export async function identify(deps: AuthDeps, token: string): Promise<AuthenticatedCaller> {
  const { identity, nativeTokens } = deps
  const session = identity.getVerified(token)
  if (session) return identifySession(deps, token, session)
  const native = nativeTokens.getVerified(token)
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
  const authenticatedAt = new Date(claims.authenticatedAt)
  const credential = { kind: 'session' as const, token, tokenId, issuedAt, expiresAt, authenticatedAt }
  const userId = await checkSessionToken(db.read, tokenValidityCache, { provider, subject }, credential)
  return { provider, subject, userId, credential }
}

async function identifyNative(deps: AuthDeps, { sessionId, subject }: VerifiedNativeToken) {
  const { db, identity, tokenValidityCache } = deps
  const session = await checkNativeToken(
    db.read,
    tokenValidityCache,
    { provider: identity.name, subject },
    sessionId,
  )
  return { ...session, credential: { kind: 'native' as const, sessionId } }
}

/**
 * The unverified `iss`, which only selects the verifier; undefined if the token is not a JWT.
 * @throws DomainError `invalid_token` (not a `b64token`)
 */
function claimedIssuer(token: string): unknown {
  if (!B64_TOKEN.test(token)) throw new DomainError('invalid_token', { detail: 'The token cannot be read.' })
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
