import { createHash, randomUUID } from 'node:crypto'
import { type JWTHeaderParameters, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import { presentUser, type User } from '../users/user.ts'
import { applyDefect, type Defect } from './defects.ts'
import { type KeyRing, signingAlgorithms } from './keys.ts'

/** Lifetime of an access token and an ID token, in seconds. */
export const tokenLifetime = 3600

/** Optional settings of an access token. */
export interface TokenOptions {
  /** Seconds from the provider's current time; may be negative. Default 3600. */
  expiresIn?: number
  /** Override the standard claims; a defect is applied after them. */
  claims?: JWTPayload
  /** A defect that a resource server must detect. */
  defect?: Defect
  clientId?: string
  /** Space separated. Default `openid profile email`. */
  scope?: string
  /** The grant that the token belongs to. Default: a new id. */
  sid?: string
  /** The `typ` header. Default `at+jwt`. */
  typ?: string
}

interface IdTokenOptions {
  clientId: string
  sid: string
  scope: string
  /** Seconds since the epoch. */
  authTime: number
  nonce?: string
  /** The access token issued with it, for `at_hash`. */
  accessToken: string
}

export type Tokens = ReturnType<typeof createTokens>

/** Issues and verifies the tokens of one provider. */
export function createTokens(deps: { issuer: string; audience: string; clock: Clock; keys: KeyRing }) {
  const { issuer, audience, clock, keys } = deps
  const verify = async (token: string, options: JWTVerifyOptions) => {
    const own = { issuer, algorithms: [...signingAlgorithms], ...options }
    return (await jwtVerify(token, keys.lookup, own)).payload
  }
  return {
    /** An access token in the JWT profile of RFC 9068. */
    async issueAccessToken(sub: string, options: TokenOptions = {}): Promise<string> {
      const iat = clock.seconds()
      const claims: JWTPayload = {
        iss: issuer,
        aud: audience,
        sub,
        iat,
        exp: iat + (options.expiresIn ?? tokenLifetime),
        jti: randomUUID(),
        client_id: options.clientId ?? 'matchday-app',
        scope: options.scope ?? 'openid profile email',
        sid: options.sid ?? randomUUID(),
        ...options.claims,
      }
      const { alg, kid } = keys.current
      const draft = { header: { alg, typ: options.typ ?? 'at+jwt', kid }, claims, key: keys.current }
      return options.defect ? applyDefect(draft, options.defect) : signJwt(draft.header, claims, keys)
    },

    /** An ID token (OpenID Connect Core §2) with the claims of the scope. */
    issueIdToken(user: User, options: IdTokenOptions): Promise<string> {
      const { clientId, sid, scope, authTime, nonce, accessToken } = options
      const { alg, kid } = keys.current
      const iat = clock.seconds()
      const claims = {
        ...claimsForScope(presentUser(user, issuer), scope),
        iss: issuer,
        aud: clientId,
        iat,
        exp: iat + tokenLifetime,
        auth_time: authTime,
        sid,
        ...(nonce === undefined ? {} : { nonce }),
        at_hash: accessTokenHash(accessToken, alg),
      }
      return signJwt({ alg, typ: 'JWT', kid }, claims, keys)
    },

    /** The claims of a valid access token of this provider. Rejects with jose's errors. */
    verifyAccessToken: (token: string) =>
      verify(token, {
        audience,
        typ: 'at+jwt',
        requiredClaims: ['sub', 'exp', 'iat'],
        maxTokenAge: Number.MAX_SAFE_INTEGER, // Makes jose reject an iat in the future.
        currentDate: new Date(clock.now()),
      }),
    /** The claims of an ID token of this provider, expired or not, for `id_token_hint`. Rejects with jose's errors. */
    verifyIdTokenHint: (token: string) => verify(token, { typ: 'JWT', currentDate: new Date(0) }),
  }
}

/** The claims of a user that a scope includes (OpenID Connect Core §5.4); `sub` always. */
export function claimsForScope(user: User, scope: string): Partial<User> {
  const scopes = scope.split(' ')
  const { sub, email, email_verified, ...profile } = user
  return {
    sub,
    ...(scopes.includes('profile') ? profile : {}),
    ...(scopes.includes('email') ? { email, email_verified } : {}),
  }
}

function signJwt(header: JWTHeaderParameters, claims: JWTPayload, keys: KeyRing): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header).sign(keys.current.privateJwk)
}

/** `at_hash` (OpenID Connect Core §3.1.3.6): the left half of the token's digest by the algorithm's hash function. */
function accessTokenHash(accessToken: string, alg: string): string {
  const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(accessToken)
    .digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
