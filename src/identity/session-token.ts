/** The verification rule for the provider's access tokens (RFC 7519, RFC 8725, RFC 9068). */
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { DomainError } from '../problems.ts'
import { ProviderError } from './fetch-json.ts'

/** Asymmetric only: with these, nobody who knows the public key can sign. */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
]
/** Seconds by which clocks may differ. */
const LEEWAY = 30
/** Tokens longer than this are refused unread: no provider issues them, and parsing costs. */
const MOST_CHARACTERS = 16_384

export interface SessionClaims {
  subject: string
  /** `jti`, or null where the provider sets none. */
  tokenId: string | null
  expiresAt: Date
}

export interface SessionTokenRules {
  findKey: JWTVerifyGetKey
  issuer: string
  audience: string
  /** The `typ` that the header must carry; null accepts any. */
  typ: string | null
  now: () => Date
}

/**
 * Signature by the issuer's keys, `iss`, `aud`, `typ`, and `exp`, `iat`, `sub` present and in time.
 * @throws DomainError `invalid_token`, `identity_provider_unavailable` (its keys are not known: nobody can be judged)
 */
export async function verifySessionToken(token: string, rules: SessionTokenRules): Promise<SessionClaims> {
  if (token.length > MOST_CHARACTERS)
    throw new DomainError('invalid_token', { detail: 'The token is too long.' })
  try {
    const { payload } = await jwtVerify(token, rules.findKey, {
      algorithms: ALGORITHMS,
      issuer: [rules.issuer, `${rules.issuer}/`],
      audience: rules.audience,
      typ: rules.typ ?? undefined,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: LEEWAY,
      currentDate: rules.now(),
    })
    return readClaims(payload, rules.now())
  } catch (error) {
    if (error instanceof DomainError) throw error
    if (error instanceof ProviderError) {
      throw new DomainError('identity_provider_unavailable', { retryAfter: error.retryAfter })
    }
    throw new DomainError('invalid_token', { detail: explain(error) })
  }
}

function readClaims({ sub, iat, exp, jti }: JWTPayload, now: Date): SessionClaims {
  if (
    typeof sub !== 'string' ||
    sub === '' ||
    sub.length > 255 ||
    sub.includes('\0') ||
    !sub.isWellFormed()
  ) {
    throw new DomainError('invalid_token', { detail: 'The token names no subject.' })
  }
  // jose checks that `iat` is a number, not that it has come.
  if ((iat as number) > now.getTime() / 1000 + LEEWAY) {
    throw new DomainError('invalid_token', { detail: 'The token is issued in the future.' })
  }
  return { subject: sub, tokenId: jti ?? null, expiresAt: new Date((exp as number) * 1000) }
}

/** Enough for the developer of a client; nothing that the token holds. */
function explain(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed) return `The token's ${error.claim} is not accepted.`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature does not verify.'
  if (error instanceof errors.JWKSNoMatchingKey) return 'No key of the provider matches the token.'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm is not accepted.'
  return 'The token cannot be read.'
}
