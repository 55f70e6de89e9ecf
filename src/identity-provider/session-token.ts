/** The verification rule for the provider's access tokens (RFC 7519, RFC 8725, RFC 9068). */
import { hash } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import { DomainError } from '../core/problems.ts'
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
/** Seconds. A year by any count: `iat` and `exp` further away are mistakes, such as milliseconds for seconds. */
const MAX_DISTANCE = 366 * 86_400
/** Tokens longer than this are refused unread: no provider issues them, and parsing costs. */
const MAX_CHARACTERS = 16_384
/** Of keys that fit a token without `kid`: each is a signature to verify for an unknown caller. */
const MAX_KEYS_TRIED = 10

export interface SessionClaims {
  subject: string
  /**
   * Names the token among those of its subject, for its revocation: its `jti`, or without one the hash of the bytes that
   * are signed. They cannot be rewritten without the provider's key. The signature can, so it is no part of the name.
   */
  tokenId: string
  /** Milliseconds since the epoch, both: of thousands that are kept, each Date would be one more for the collector to visit. */
  issuedAt: number
  expiresAt: number
}

export interface SessionTokenRules {
  findKey: JWTVerifyGetKey
  issuer: string
  audience: string
  /** The claim that holds the audience; `aud` by the standard. */
  audienceClaim: string
  /** Claims that must be there: with this value of this type, or, where null, with any value. */
  requiredClaims: Record<string, string | number | boolean | null>
  /** Of `client_id` and `azp`; empty accepts tokens of any client. */
  allowedClients: readonly string[]
  /** All of them must be granted, by `scope` or `scp`. */
  requiredScopes: readonly string[]
  /** The `typ` that the header must carry; null accepts any. */
  typ: string | null
  now: () => Date
}

/**
 * Signature by the issuer's keys, `iss`, `aud`, `typ`, and `exp`, `iat`, `sub` present and in time.
 * @throws DomainError `invalid_token`, `identity_provider_unavailable` (its keys are not known: nobody can be judged)
 */
export async function verifySessionToken(token: string, rules: SessionTokenRules): Promise<SessionClaims> {
  if (token.length > MAX_CHARACTERS)
    throw new DomainError('invalid_token', { detail: 'The token is too long.' })
  try {
    const payload = await verifyJwt(token, rules.findKey, {
      algorithms: ALGORITHMS,
      issuer: [rules.issuer, `${rules.issuer}/`],
      ...(rules.audienceClaim === 'aud' ? { audience: rules.audience } : {}),
      typ: rules.typ ?? undefined,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: LEEWAY,
      currentDate: rules.now(),
    })
    requireClaims(payload, rules)
    requireClient(payload, rules)
    requireScopes(payload, rules)
    refuseBound(payload)
    return readClaims(payload, token, rules.now())
  } catch (error) {
    if (error instanceof DomainError) throw error
    if (error instanceof ProviderError) {
      throw new DomainError('identity_provider_unavailable', { retryAfter: error.retryAfter })
    }
    throw new DomainError('invalid_token', { detail: explain(error) })
  }
}

/** A token without `kid` may fit several keys of the provider: one of them must verify it. @throws jose's errors */
async function verifyJwt(token: string, findKey: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return (await jwtVerify(token, findKey, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    let tried = 0
    for await (const key of error) {
      if (++tried > MAX_KEYS_TRIED) break
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** Compared with its type: the text "true" is not the boolean, nor is the text "2" the number. @throws DomainError `invalid_token` */
function requireClaims(
  payload: JWTPayload,
  { audience, audienceClaim, requiredClaims }: SessionTokenRules,
): void {
  if (audienceClaim !== 'aud' && !wordsOf(payload[audienceClaim]).includes(audience)) {
    throw notAccepted(audienceClaim)
  }
  for (const [name, value] of Object.entries(requiredClaims)) {
    const found = payload[name] ?? null
    if (value === null ? found === null : found !== value) throw notAccepted(name)
  }
}

/** RFC 9068 names the client `client_id`, OpenID Connect `azp`; where a token carries both, both count. */
function requireClient(payload: JWTPayload, { allowedClients }: SessionTokenRules): void {
  if (allowedClients.length === 0) return
  const { client_id: clientId, azp } = payload
  if (clientId === undefined && azp === undefined) throw notAccepted('client_id')
  for (const [name, client] of Object.entries({ client_id: clientId, azp })) {
    if (client !== undefined && !allowedClients.some(allowed => allowed === client)) throw notAccepted(name)
  }
}

/** `scope` is text with spaces (RFC 9068 §2.2.3); some providers send an array, or call it `scp`. */
function requireScopes({ scope, scp }: JWTPayload, { requiredScopes }: SessionTokenRules): void {
  if (requiredScopes.length === 0) return
  const granted = [scope, scp].flatMap(list => (typeof list === 'string' ? list.split(' ') : wordsOf(list)))
  if (!requiredScopes.every(required => granted.includes(required))) throw notAccepted('scope')
}

/** A sender-constrained token (RFC 8705, RFC 9449) is worth nothing to its thief, unless it is accepted as a plain bearer token. */
function refuseBound({ cnf }: JWTPayload): void {
  if (cnf === undefined) return
  throw new DomainError('invalid_token', {
    detail: 'The token is bound to a key (cnf). This API accepts bearer tokens only.',
  })
}

const wordsOf = (claim: unknown): unknown[] => (Array.isArray(claim) ? claim : [claim])

const notAccepted = (claim: string) =>
  new DomainError('invalid_token', { detail: `The token's ${claim} is not accepted.` })

function readClaims({ sub, iat, exp, jti }: JWTPayload, token: string, now: Date): SessionClaims {
  if (
    typeof sub !== 'string' ||
    sub === '' ||
    sub.length > 255 ||
    sub.includes('\0') ||
    !sub.isWellFormed()
  ) {
    throw new DomainError('invalid_token', { detail: 'The token names no subject.' })
  }
  // jose checks that both are numbers, that `exp` has not passed and nothing of `iat`.
  const seconds = now.getTime() / 1000
  if ((iat as number) > seconds + LEEWAY) {
    throw new DomainError('invalid_token', { detail: 'The token is issued in the future.' })
  }
  if ((iat as number) < seconds - MAX_DISTANCE - LEEWAY) throw notAccepted('iat')
  if ((exp as number) > seconds + MAX_DISTANCE + LEEWAY) throw notAccepted('exp')
  // NumericDate may have a fraction (RFC 7519 §2); instants here are whole milliseconds.
  const issuedAt = Math.floor((iat as number) * 1000)
  const expiresAt = Math.ceil((exp as number) * 1000)
  const tokenId = typeof jti === 'string' && jti !== '' ? `jti ${jti}` : `signed ${hashOfSigned(token)}`
  return { subject: sub, tokenId, issuedAt, expiresAt }
}

function hashOfSigned(token: string): string {
  return hash('sha256', token.slice(0, token.lastIndexOf('.')), 'hex')
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
