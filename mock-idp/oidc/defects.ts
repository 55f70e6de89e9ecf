import { createHmac, createPublicKey, type webcrypto } from 'node:crypto'
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { generateSigningKey, type SigningKey } from './keys.ts'

/** The defects that an otherwise valid access token can have; a resource server must reject each of them. */
export const defects = [
  'expired',
  'not_yet_valid',
  'future_iat',
  'wrong_audience',
  'wrong_issuer',
  'wrong_key',
  'unknown_kid',
  'alg_none',
  'hs256_public_key',
  'embedded_jwk',
  'unknown_crit',
  'no_exp',
  'no_sub',
  'id_token',
] as const
export type Defect = (typeof defects)[number]

/** A valid token before it is signed. */
export interface TokenDraft {
  header: JWTHeaderParameters
  claims: JWTPayload
  key: SigningKey
}

const hour = 3600
const extension = 'urn:matchday:mock:unknown'

/**
 * Signs a draft with one defect. Times are wrong by an hour, more than any leeway. Forged tokens use only what the
 * provider publishes, as an attacker would.
 */
export function applyDefect({ header, claims, key }: TokenDraft, defect: Defect): Promise<string> | string {
  const iat = typeof claims.iat === 'number' ? claims.iat : 0
  const exp = typeof claims.exp === 'number' ? claims.exp : iat
  const sign = (changed: JWTPayload, head = header, by = key) =>
    new SignJWT(changed).setProtectedHeader(head).sign(by.privateJwk, { crit: { [extension]: true } })
  switch (defect) {
    case 'expired':
      return sign({ ...claims, iat: iat - 2 * hour, exp: iat - hour })
    case 'not_yet_valid':
      return sign({ ...claims, nbf: iat + hour, exp: exp + hour })
    case 'future_iat':
      return sign({ ...claims, iat: iat + hour, exp: exp + hour })
    case 'wrong_audience':
      return sign({ ...claims, aud: 'some-other-api' })
    case 'wrong_issuer':
      return sign({ ...claims, iss: 'https://issuer.example' })
    case 'wrong_key':
      return sign(claims, header, generateSigningKey(key.alg))
    case 'unknown_kid':
      return sign(claims, { ...header, kid: 'mock-unknown' })
    case 'alg_none':
      return `${signingInput({ ...header, alg: 'none' }, claims)}.`
    case 'hs256_public_key':
      return signWithPublicKey({ ...header, alg: 'HS256' }, claims, key)
    case 'embedded_jwk': {
      const forger = generateSigningKey(key.alg)
      const { kid: _, ...jwk } = forger.publicJwk
      return sign(claims, { ...header, jwk }, forger)
    }
    case 'unknown_crit':
      return sign(claims, { ...header, crit: [extension], [extension]: true })
    case 'no_exp':
      return sign({ ...claims, exp: undefined })
    case 'no_sub':
      return sign({ ...claims, sub: undefined })
    case 'id_token':
      return sign(asIdToken(claims), { ...header, typ: 'JWT' })
  }
}

/** An ID token's claims with the API's audience, so that only the kind of token is wrong. */
function asIdToken(claims: JWTPayload): JWTPayload {
  const { client_id, scope: _, jti: __, ...rest } = claims
  return { ...rest, azp: client_id, auth_time: claims.iat, nonce: 'mock-nonce' }
}

/** The algorithm confusion of RFC 8725 §2.1: an HMAC whose secret is the public key in PEM. */
function signWithPublicKey(header: JWTHeaderParameters, claims: JWTPayload, key: SigningKey): string {
  const pem = createPublicKey({ key: key.publicJwk as webcrypto.JsonWebKey, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  const input = signingInput(header, claims)
  return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`
}

function signingInput(header: object, claims: object): string {
  return [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
}
