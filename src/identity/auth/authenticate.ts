/** Bearer token → caller. */
import { decodeJwt } from 'jose'
import { attempt } from '../../core/attempt.ts'
import type { AuthenticatedCaller, Credential } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { IdentityProvider } from '../../platform/identity-provider/provider.ts'
import type { SessionClaims } from '../../platform/identity-provider/session-token.ts'
import { looksLikeServerKey } from '../server-keys/key.ts'
import type { NativeTokens, VerifiedNativeToken } from './native-tokens.ts'
import { authProblems } from './problems.ts'
import type { TokenValidityCache } from './token-validity-cache.ts'

export interface AuthDeps {
  identity: IdentityProvider
  nativeTokens: NativeTokens
  tokenValidityCache: TokenValidityCache
}

/** RFC 6750 §2.1: the `b64token` syntax. Two Authorization headers arrive joined by a comma and fail it. */
const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

const SERVER_KEY = 'This is a server key. The operation requires the token of a fan.'

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
  { identity, tokenValidityCache }: AuthDeps,
  token: string,
  claims: SessionClaims,
) {
  const { name: provider } = identity
  const { subject, tokenId } = claims
  const [issuedAt, expiresAt] = [new Date(claims.issuedAt), new Date(claims.expiresAt)]
  const authenticatedAt = new Date(claims.authenticatedAt)
  const credential = { kind: 'session' as const, token, tokenId, issuedAt, expiresAt, authenticatedAt }
  const valid = await tokenValidityCache.checkSession(claims, { provider, subject }, credential)
  return { provider, subject, ...valid, credential }
}

async function identifyNative({ identity, tokenValidityCache }: AuthDeps, claims: VerifiedNativeToken) {
  const { sessionId, subject, expiresAt } = claims
  const caller = await tokenValidityCache.checkNative(claims, { provider: identity.name, subject })
  const credential = { kind: 'native' as const, sessionId, expiresAt: new Date(expiresAt) }
  return { ...caller, credential }
}

/**
 * The unverified `iss`, which only selects the verifier; undefined if the token is not a JWT.
 * @throws DomainError `invalid_token` (a server key, or not a `b64token`)
 */
function claimedIssuer(token: string): unknown {
  if (looksLikeServerKey(token))
    throw new DomainError(transportProblems.invalid_token, { detail: SERVER_KEY })
  if (!B64_TOKEN.test(token))
    throw new DomainError(transportProblems.invalid_token, { detail: 'The token cannot be read.' })
  return attempt(() => decodeJwt(token).iss)
}

const MAX_AGE_MS = 5 * 60_000

/**
 * For actions that cannot be undone: requires a session token of a user who has just authenticated. A native token is
 * refused: it is refreshed without the user.
 * @throws DomainError `reauthentication_required`
 */
export function requireRecentSignIn(credential: Credential, now: Date): void {
  if (credential.kind === 'native')
    throw new DomainError(authProblems.reauthentication_required, {
      detail: 'A native token is not accepted here. Send a session token of a new sign-in.',
    })
  if (now.getTime() - credential.authenticatedAt.getTime() > MAX_AGE_MS)
    throw new DomainError(authProblems.reauthentication_required, {
      detail: 'The user authenticated more than 5 minutes ago. Send a session token of a new sign-in.',
    })
}
