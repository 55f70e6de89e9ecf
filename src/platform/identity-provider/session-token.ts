/** Verifies the provider's access tokens (RFC 7519, RFC 8725, RFC 9068). */

import { hash } from 'node:crypto'
import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { IdentityConfig } from '../config/identity.ts'
import { ProviderError } from './fetch-json.ts'
import { providerProblems } from './problems.ts'

/** Asymmetric algorithms only: the public key must not be sufficient to sign (RFC 8725 §2.1). */
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
/** Clock tolerance in seconds. */
const CLOCK_TOLERANCE = 30
/** Maximum distance of `iat` and `exp` from now, in seconds. Beyond a year they are errors, such as milliseconds. */
const MAX_DISTANCE = 366 * 86_400
/** Longer tokens are refused before they are parsed. */
const MAX_CHARACTERS = 16_384
/** For a token without `kid`: each key is one more signature check for an unauthenticated caller. */
const MAX_KEYS_TRIED = 10

export interface SessionClaims {
  subject: string
  /**
   * Identifies the token among those of its subject, for revocation: its `jti`, or else the hash of its signed part. The
   * signature itself is not included, because it can be changed and still verify.
   */
  tokenId: string
  /** Both in milliseconds since the epoch: numbers, because thousands of cached Dates would burden the garbage collector. */
  issuedAt: number
  expiresAt: number
  /** `auth_time`, when the user authenticated at the provider; `iat` without it. Milliseconds since the epoch. */
  authenticatedAt: number
}

type ConfiguredRule =
  | 'issuer'
  | 'audiences'
  | 'audienceClaim'
  | 'requiredClaims'
  | 'allowedClients'
  | 'requiredScopes'
  | 'explainTokens'

export interface SessionTokenRules extends Pick<IdentityConfig, ConfiguredRule> {
  findKey: JWTVerifyGetKey
  /** The required `typ` of the header; null accepts any. */
  typ: string | null
  now: () => Date
}

/**
 * Checks the signature, `iss`, `aud`, `typ`, `exp`, `iat`, `sub`, and the required claims, clients and scopes.
 * @throws DomainError `invalid_token`, `identity_provider_unavailable` (the provider's keys are not known)
 */
export async function verifySessionToken(token: string, rules: SessionTokenRules): Promise<SessionClaims> {
  if (token.length > MAX_CHARACTERS)
    throw new DomainError(transportProblems.invalid_token, { detail: 'The token is too long.' })
  try {
    const payload = await verifyJwt(token, rules.findKey, {
      algorithms: ALGORITHMS,
      issuer: [rules.issuer, `${rules.issuer}/`],
      ...(rules.audienceClaim === 'aud' ? { audience: rules.audiences } : {}),
      typ: rules.typ ?? undefined,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: CLOCK_TOLERANCE,
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
      throw new DomainError(providerProblems.identity_provider_unavailable, { retryAfter: error.retryAfter })
    }
    const expectation = rules.explainTokens ? describeExpectation(error, token, rules) : ''
    throw new DomainError(transportProblems.invalid_token, { detail: `${explain(error)}${expectation}` })
  }
}

/** A token without `kid` may match several keys: one of them must verify it. @throws the errors of jose */
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

/** Compares values strictly: the string "2" is not the number. @throws DomainError `invalid_token` */
function requireClaims(payload: JWTPayload, { audiences, audienceClaim, requiredClaims }: SessionTokenRules) {
  const found = listOf(payload[audienceClaim])
  if (audienceClaim !== 'aud' && !audiences.some(audience => found.includes(audience))) {
    throw notAccepted(audienceClaim)
  }
  for (const [name, value] of Object.entries(requiredClaims)) {
    const found = payload[name] ?? null
    if (value === null ? found === null : found !== value) throw notAccepted(name)
  }
}

/** RFC 9068 names the client `client_id`, OpenID Connect `azp`. If a token has both, both must be allowed. */
function requireClient(payload: JWTPayload, { allowedClients }: SessionTokenRules): void {
  if (allowedClients.length === 0) return
  const { client_id: clientId, azp } = payload
  if (clientId === undefined && azp === undefined) throw notAccepted('client_id')
  for (const [name, client] of Object.entries({ client_id: clientId, azp })) {
    if (client !== undefined && !allowedClients.some(allowed => allowed === client)) throw notAccepted(name)
  }
}

/** `scope` is a space-separated string (RFC 9068 §2.2.3). Some providers send an array, or call it `scp`. */
function requireScopes({ scope, scp }: JWTPayload, { requiredScopes }: SessionTokenRules): void {
  if (requiredScopes.length === 0) return
  const granted = [scope, scp].flatMap(list => (typeof list === 'string' ? list.split(' ') : listOf(list)))
  if (!requiredScopes.every(required => granted.includes(required))) throw notAccepted('scope')
}

/** Accepting a sender-constrained token (RFC 8705, RFC 9449) as a bearer token would remove its protection against theft. */
function refuseBound({ cnf }: JWTPayload): void {
  if (cnf === undefined) return
  throw new DomainError(transportProblems.invalid_token, {
    detail: 'The token is bound to a key (cnf). This API accepts bearer tokens only.',
  })
}

const listOf = (claim: unknown): unknown[] => (Array.isArray(claim) ? claim : [claim])

const notAccepted = (claim: string) =>
  new DomainError(transportProblems.invalid_token, { detail: `The token's ${claim} is not accepted.` })

function readClaims(
  { sub, iat, exp, jti, auth_time: authTime }: JWTPayload,
  token: string,
  now: Date,
): SessionClaims {
  if (
    typeof sub !== 'string' ||
    sub === '' ||
    sub.length > 255 ||
    sub.includes('\0') ||
    !sub.isWellFormed()
  ) {
    throw new DomainError(transportProblems.invalid_token, { detail: 'The token names no subject.' })
  }
  // Guarantee of the casts: jose has checked that both are numbers, and that `exp` has not passed. It does not check the value of
  // `iat`.
  const seconds = now.getTime() / 1000
  if ((iat as number) > seconds + CLOCK_TOLERANCE) {
    throw new DomainError(transportProblems.invalid_token, { detail: 'The token is issued in the future.' })
  }
  if ((iat as number) < seconds - MAX_DISTANCE - CLOCK_TOLERANCE) throw notAccepted('iat')
  if ((exp as number) > seconds + MAX_DISTANCE + CLOCK_TOLERANCE) throw notAccepted('exp')
  // A NumericDate may have a fraction (RFC 7519 §2).
  const issuedAt = Math.floor((iat as number) * 1000)
  const expiresAt = Math.ceil((exp as number) * 1000)
  const tokenId = typeof jti === 'string' && jti !== '' ? `jti ${jti}` : `signed ${hashOfSigned(token)}`
  // An `auth_time` that cannot be read proves no recent sign-in.
  const authenticatedAt =
    authTime === undefined ? issuedAt : typeof authTime === 'number' ? Math.floor(authTime * 1000) : 0
  return { subject: sub, tokenId, issuedAt, expiresAt, authenticatedAt: Math.min(authenticatedAt, issuedAt) }
}

function hashOfSigned(token: string): string {
  return hash('sha256', token.slice(0, token.lastIndexOf('.')), 'hex')
}

/** What was expected and received, for developers; empty for other errors. */
function describeExpectation(error: unknown, token: string, rules: SessionTokenRules): string {
  if (!(error instanceof errors.JWTClaimValidationFailed)) return ''
  const { audiences } = rules
  const aud = audiences.length === 1 ? audiences[0] : audiences
  const expected = { aud, iss: rules.issuer, typ: rules.typ }[error.claim]
  if (expected === undefined) return ''
  const received = error.claim === 'typ' ? decodeProtectedHeader(token).typ : error.payload[error.claim]
  const shown = received === undefined ? 'no value' : JSON.stringify(received).slice(0, 200)
  return ` Expected ${JSON.stringify(expected)}, received ${shown}.`
}

/** For developers of clients. Contains no value of the token. */
function explain(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed) return `The token's ${error.claim} is not accepted.`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature does not verify.'
  if (error instanceof errors.JWKSNoMatchingKey) return 'No key of the provider matches the token.'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm is not accepted.'
  return 'The token cannot be read.'
}
