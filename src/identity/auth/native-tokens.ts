/**
 * The tokens of a native session: access tokens, which are JWTs (RFC 9068), with the public keys to verify them (RFC 7517); and refresh
 * tokens.
 */
import { hash } from 'node:crypto'
import {
  createLocalJWKSet,
  decodeJwt,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { createVerifiedTokenCache } from '../../platform/identity-provider/verified-token-cache.ts'

/** `aud` of native tokens. */
const AUDIENCE = 'matchday-api'
/** Tolerance for differing clocks of instances, in seconds. */
const CLOCK_TOLERANCE = 5

interface NativeTokenClaims {
  /** The provider's id of the user. */
  subject: string
  /** The OAuth client that requested the token (RFC 9068 §2.2). */
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

export type NativeTokens = Awaited<ReturnType<typeof createNativeTokens>>

export interface NativeTokenOptions {
  issuer: string
  /** The signing key: a private JWK with a `kid`. */
  key: JWK
  /** Former signing keys. Tokens signed with them verify until they expire. */
  previousKeys: JWK[]
  now: () => Date
}

export async function createNativeTokens({ issuer, key, previousKeys, now }: NativeTokenOptions) {
  const alg = algorithmOf(key)
  const signingKey = await importJWK(key, alg)
  const jwks: JSONWebKeySet = { keys: [key, ...previousKeys].map(publicPart) }
  const findKey = createLocalJWKSet(jwks)
  const cache = createVerifiedTokenCache<VerifiedNativeToken>(now)
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000)

  return {
    /** `iss` of native tokens, by which they differ from session tokens. */
    issuer,
    /** The public keys, the current signing key first. */
    jwks,
    /** Counts of the cache of verified tokens. */
    cacheCounts: cache.counts,
    sign({ subject, clientId, sessionId, tokenId, issuedAt, expiresAt }: NativeTokenClaims): Promise<string> {
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
    /** The claims of the token if the verified-token cache has them, otherwise undefined. */
    getVerified: (token: string) => cache.get(token),
    /** Checks signature, `iss`, `aud`, `typ` and `exp`, but not the session: see `token-validity.ts`. @throws DomainError `invalid_token` */
    verify: (token: string) => cache.put(token, verify(token)),
  }

  async function verify(token: string): Promise<VerifiedNativeToken> {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        algorithms: ['ES256', 'EdDSA'],
        issuer,
        audience: AUDIENCE,
        typ: 'at+jwt',
        requiredClaims: ['exp', 'iat', 'sub', 'sid', 'jti'],
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: now(),
      })
      // Guarantee of the cast: jose requires the claim, and that it is a number.
      const expiresAt = (payload.exp as number) * 1000
      return { subject: String(payload.sub), sessionId: String(payload.sid), expiresAt }
    } catch {
      throw new DomainError(transportProblems.invalid_token, {
        detail: 'The native token is not valid, or has expired.',
      })
    }
  }
}

const algorithmOf = (key: JWK) => (key.kty === 'OKP' ? 'EdDSA' : 'ES256')

function publicPart(key: JWK): JWK {
  const { kty, crv, x, y, kid } = key
  return { kty, crv, x, ...(y ? { y } : {}), kid, alg: algorithmOf(key), use: 'sig' }
}

/** OAuth client ids (RFC 6749 appendix A.1), up to the stored length. */
const CLIENT_ID = /^[\x20-\x7e]{1,255}$/

/** The client of a verified session token: `client_id` (RFC 9068) or `azp` (OpenID Connect). */
export function clientOfSessionToken(token: string): string | null {
  const { client_id, azp } = decodeJwt(token)
  for (const id of [client_id, azp]) if (typeof id === 'string' && CLIENT_ID.test(id)) return id
  return null
}

const REFRESH_PREFIX = 'mdrt_'
/** 32 bytes in base64url. */
const RANDOM_LENGTH = 43

/**
 * A prefix for secret scanners, 256 random bits, and the OAuth client id if known, so that a session keeps its client
 * without a column. The database has only the hash of the whole token, so no part can be changed.
 */
export function mintRefreshToken(random: Uint8Array, clientId: string | null): string {
  return `${REFRESH_PREFIX}${Buffer.from(random).toString('base64url')}${Buffer.from(clientId ?? '').toString('base64url')}`
}

/** The OAuth client id in a token whose hash is known; null if it has none. */
export function clientOfRefreshToken(token: string): string | null {
  return Buffer.from(token.slice(REFRESH_PREFIX.length + RANDOM_LENGTH), 'base64url').toString() || null
}

/** SHA-256 in hex. Needs no salt, because the token is random. */
export function hashRefreshToken(token: string): string {
  return hash('sha256', token, 'hex')
}
