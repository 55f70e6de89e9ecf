/** Native access tokens: JWTs of ours (RFC 9068), and the keys that others verify them with (RFC 7517). */
import {
  createLocalJWKSet,
  decodeJwt,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { DomainError } from '../core/problems.ts'
import { createVerifiedTokenCache } from '../identity-provider/verified-token-cache.ts'

/** Whom native tokens are for: this API. */
const AUDIENCE = 'matchday-api'
/** Seconds by which clocks of our own instances may differ. */
const LEEWAY = 5

interface NativeTokenClaims {
  /** The provider's id of the user. */
  subject: string
  /** RFC 9068 §2.2: the OAuth client that asks for the token. */
  clientId: string
  sessionId: string
  tokenId: string
  issuedAt: Date
  expiresAt: Date
}

export interface VerifiedNativeToken {
  subject: string
  sessionId: string
  /** Milliseconds since the epoch. */
  expiresAt: number
}

export interface NativeTokens {
  /** Our `iss`: what tells a native token from a session token. */
  readonly issuer: string
  /** Public keys, the signing one first. */
  readonly jwks: JSONWebKeySet
  sign(claims: NativeTokenClaims): Promise<string>
  /** What is remembered of a token that was verified and has not expired; see `identity/token-cache.ts`. */
  getVerified(token: string): VerifiedNativeToken | undefined
  /** Signature, `iss`, `aud`, `typ` and time; not whether its session lives. @throws DomainError `invalid_token` */
  verify(token: string): Promise<VerifiedNativeToken>
}

export interface NativeTokenOptions {
  issuer: string
  /** Private JWK with a `kid`; signs. */
  key: JWK
  /** Keys that signed before: their tokens verify until they expire. */
  previousKeys: JWK[]
  now: () => Date
}

export async function createNativeTokens({
  issuer,
  key,
  previousKeys,
  now,
}: NativeTokenOptions): Promise<NativeTokens> {
  const alg = algorithmOf(key)
  const signingKey = await importJWK(key, alg)
  const jwks = { keys: [key, ...previousKeys].map(publicPart) }
  const findKey = createLocalJWKSet(jwks)
  const cache = createVerifiedTokenCache<VerifiedNativeToken>(now)
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000)

  return {
    issuer,
    jwks,
    sign({ subject, clientId, sessionId, tokenId, issuedAt, expiresAt }) {
      return new SignJWT({ client_id: clientId, sid: sessionId })
        .setProtectedHeader({ alg, typ: 'at+jwt', kid: key.kid })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(subject)
        .setJti(tokenId)
        .setIssuedAt(seconds(issuedAt))
        .setExpirationTime(seconds(expiresAt))
        .sign(signingKey)
    },
    getVerified: token => cache.get(token),
    verify: token => cache.put(token, verify(token)),
  }

  async function verify(token: string): Promise<VerifiedNativeToken> {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        algorithms: ['ES256', 'EdDSA'],
        issuer,
        audience: AUDIENCE,
        typ: 'at+jwt',
        requiredClaims: ['exp', 'iat', 'sub', 'sid', 'jti'],
        clockTolerance: LEEWAY,
        currentDate: now(),
      })
      const expiresAt = (payload.exp as number) * 1000
      return { subject: String(payload.sub), sessionId: String(payload.sid), expiresAt }
    } catch {
      throw new DomainError('invalid_token', { detail: 'The native token is not valid, or has expired.' })
    }
  }
}

const algorithmOf = (key: JWK) => (key.kty === 'OKP' ? 'EdDSA' : 'ES256')

function publicPart(key: JWK): JWK {
  const { kty, crv, x, y, kid } = key
  return { kty, crv, x, ...(y ? { y } : {}), kid, alg: algorithmOf(key), use: 'sig' }
}

/** Client ids of OAuth (RFC 6749 appendix A.1), as long as we keep them. */
const CLIENT_ID = /^[\x20-\x7e]{1,255}$/

/** The client that a verified session token was issued to: `client_id` (RFC 9068), else `azp` (OpenID Connect). */
export function clientOfSessionToken(token: string): string | null {
  const { client_id, azp } = decodeJwt(token)
  for (const id of [client_id, azp]) if (typeof id === 'string' && CLIENT_ID.test(id)) return id
  return null
}
