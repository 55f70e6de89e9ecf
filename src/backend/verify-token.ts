/** Verifies native tokens, which apps send, with the keys that the API publishes. */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWKSCacheInput,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwksCache,
  jwtVerify,
} from 'jose'
import { VerificationError } from './verification-error.ts'

export interface TokenOptions {
  /** Where the API is, such as `https://api.example.com`: its keys are at `/.well-known/jwks.json`. */
  origin: string
  /** `NATIVE_TOKEN_ISSUER` of the API; `urn:matchday` by default. */
  issuer?: string | undefined
  /** `matchday-api` by default. */
  audience?: string | undefined
  /** For clocks that differ: 5 by default. */
  toleranceSeconds?: number | undefined
}

export interface TokenClaims extends JWTPayload {
  /** The fan's id at the identity provider. */
  sub: string
  /** The fan's session on one device, as in `GET /api/auth/sessions`. */
  sid: string
  jti: string
  iat: number
  exp: number
  client_id?: string
}

/** The API signs by these. */
const ALGORITHMS = ['ES256', 'EdDSA']
/** How long known keys are used while the API cannot be reached. Milliseconds. */
const KEYS_USABLE_MS = 24 * 3_600_000

/** Errors that mean that no key of the set belongs to the token. */
const OF_TOKEN = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]

const keySets = new Map<string, JWTVerifyGetKey>()

/**
 * Verifies a native token: signature, algorithm, `iss`, `aud`, `typ` and expiry. The token of an ended
 * session is accepted until it expires, within 15 minutes: if that is too late, call the API.
 * @param token the token, or the value of the header `Authorization`
 * @throws VerificationError with `code` and the `status` to respond with
 */
export async function verifyToken(
  token: string | null | undefined,
  { origin, issuer = 'urn:matchday', audience = 'matchday-api', toleranceSeconds = 5 }: TokenOptions,
): Promise<TokenClaims> {
  const jwt = token?.trim().replace(/^bearer(\s+|$)/i, '')
  if (!jwt) throw new VerificationError('token_missing', 'No token was sent.')
  try {
    const { payload } = await jwtVerify<TokenClaims>(jwt, keysOf(origin), {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      typ: 'at+jwt',
      requiredClaims: ['exp', 'iat', 'sub', 'sid', 'jti'],
      clockTolerance: toleranceSeconds,
    })
    return payload
  } catch (error) {
    throw explain(error, { issuer, audience })
  }
}

function keysOf(origin: string): JWTVerifyGetKey {
  const url = new URL('/.well-known/jwks.json', origin)
  const keys = keySets.get(url.href) ?? createKeys(url)
  keySets.set(url.href, keys)
  return keys
}

/** As the remote set of jose, whose known keys also serve while a refresh fails. */
function createKeys(url: URL): JWTVerifyGetKey {
  const cache: JWKSCacheInput = {}
  const remote = createRemoteJWKSet(url, { [jwksCache]: cache })
  return async (header, token) => {
    try {
      return await remote(header, token)
    } catch (error) {
      if (OF_TOKEN.some(kind => error instanceof kind)) throw error
      const { jwks, uat } = cache
      const known =
        jwks !== undefined && uat !== undefined && Date.now() - uat < KEYS_USABLE_MS
          ? await createLocalJWKSet(jwks)(header, token).catch(() => null)
          : null
      if (known) return known
      throw new VerificationError('keys_unavailable', `The keys at ${url.href} cannot be read.`, {
        cause: error,
      })
    }
  }
}

function explain(error: unknown, expected: { issuer: string; audience: string }): VerificationError {
  if (error instanceof VerificationError) return error
  if (error instanceof errors.JWTExpired)
    return new VerificationError('token_expired', 'The token has expired.', { cause: error })
  return new VerificationError('token_refused', reasonOf(error, expected), { cause: error })
}

function reasonOf(error: unknown, { issuer, audience }: { issuer: string; audience: string }): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss')
      return `The token is not of the issuer ${issuer}: is it a token of the identity provider?`
    if (error.claim === 'aud') return `The token is not for the audience ${audience}.`
    if (error.claim === 'typ') return 'The token is no access token (typ at+jwt): is it an ID token?'
    return `The claim ${error.claim} of the token is missing or not valid.`
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'The API has no such key: is the token of another issuer?'
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `The token is not signed by ${ALGORITHMS.join(' or ')}.`
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'The signature of the token does not verify.'
  return 'The token cannot be read.'
}
