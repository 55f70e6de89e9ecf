import { createPrivateKey, createPublicKey, type KeyObject, type webcrypto } from 'node:crypto'
import type { JWK } from 'jose'
import { attempt } from '../../core/attempt.ts'
import { commandLine } from '../../core/command-line.ts'
import type { EnvironmentReader } from './environment.ts'

/** Prefix of the `kid` of development keys, which production refuses. */
export const DEVELOPMENT_KID_PREFIX = 'dev-'
/** Prefix of decoded development webhook secrets, which production refuses. */
export const DEVELOPMENT_SECRET_PREFIX = 'matchday-dev-'

/** Undefined if it was refused. */
function readRequired(reader: EnvironmentReader, name: string): string | undefined {
  const value = reader.secret(name)
  const hint = `is missing (\`${commandLine('dev')}\` generates one in data/)`
  if (value === undefined) reader.refuse(name, reader.production ? 'is required in production' : hint)
  return value
}

/** Standard Webhooks: `whsec_` and base64. */
export function readWebhookSecret(reader: EnvironmentReader): string {
  const name = 'IDP_WEBHOOK_SECRET'
  const value = readRequired(reader, name)
  if (value === undefined) return ''
  const encoded = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value) ? value.slice('whsec_'.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length < 24) reader.refuse(name, 'must be whsec_ and the base64 of at least 24 random bytes')
  else if (reader.production && bytes.toString('latin1').startsWith(DEVELOPMENT_SECRET_PREFIX)) {
    reader.refuse(name, 'is a development secret: generate another one for production')
  }
  return value
}

/** The private JWK that signs native tokens. */
export function readSigningKey(reader: EnvironmentReader): JWK {
  const name = 'NATIVE_TOKEN_KEY'
  const value = readRequired(reader, name)
  if (value === undefined) return {}
  // Guarantee of the cast: `isUsable` checks it.
  const key = parse(value) as JWK | undefined
  if (!key || !isUsable(key, createPrivateKey)) {
    reader.refuse(name, 'must be a private JWK with a kid, of kty EC (P-256) or OKP (Ed25519)')
  } else if (misuseOf(key)) {
    reader.refuse(name, `must be a key that signs tokens: ${misuseOf(key)}`)
  } else if (reader.production && key.kid?.startsWith(DEVELOPMENT_KID_PREFIX)) {
    reader.refuse(name, 'is a development key: generate another one for production')
  }
  return key ?? {}
}

/** Former signing keys, public or private, as a JSON array. Tokens signed with them verify until they expire. */
export function readPreviousKeys(reader: EnvironmentReader, current: JWK): JWK[] {
  const name = 'NATIVE_TOKEN_PREVIOUS_KEYS'
  const value = reader.secret(name)
  if (value === undefined) return []
  const keys = parse(value)
  if (!Array.isArray(keys) || !keys.every(key => isUsable(key, createPublicKey))) {
    reader.refuse(name, 'must be a JSON array of JWKs with a kid, of kty EC (P-256) or OKP (Ed25519)')
    return []
  }
  const misuse = keys.map(misuseOf).find(fault => fault !== null)
  if (misuse) reader.refuse(name, `must be keys that signed tokens: ${misuse}`)
  const kids = [current, ...keys].map(({ kid }) => kid)
  if (new Set(kids).size < kids.length) {
    // A token names its key by `kid` only: with a duplicate, no key would be found.
    reader.refuse(name, 'must not repeat a kid, that of NATIVE_TOKEN_KEY included')
  } else if (reader.production && keys.some(({ kid }) => kid.startsWith(DEVELOPMENT_KID_PREFIX))) {
    reader.refuse(name, 'contains a development key: its tokens must not be valid in production')
  }
  return keys
}

const parse = (text: string): unknown => attempt(() => JSON.parse(text))

const ALGORITHMS = { EC: ['ES256'], OKP: ['EdDSA', 'Ed25519'] } as const

/** Why the metadata of a usable key forbids signing native tokens (RFC 7517 §4); null if it does not. */
function misuseOf({ kty, alg, use, key_ops: operations }: JWK): string | null {
  // Guarantee of the cast: `isUsable` accepts these types only.
  const algorithms: readonly string[] = ALGORITHMS[kty as keyof typeof ALGORITHMS]
  if (alg !== undefined && !algorithms.includes(alg))
    return `its alg does not fit its kty ${kty}, and must be ${algorithms.join(' or ')}, or left out`
  if (use !== undefined && use !== 'sig') return 'its use must be sig, or left out'
  const signs = (operation: string) => operation === 'sign' || operation === 'verify'
  if (operations !== undefined && !(Array.isArray(operations) && operations.some(signs)))
    return 'its key_ops must include sign, or be left out'
  return null
}

type Import = (input: { key: webcrypto.JsonWebKey; format: 'jwk' }) => KeyObject

function isUsable(key: JWK, importKey: Import): boolean {
  const known = (key?.kty === 'EC' && key.crv === 'P-256') || (key?.kty === 'OKP' && key.crv === 'Ed25519')
  if (!known || typeof key.kid !== 'string' || key.kid === '') return false
  return attempt(() => importKey({ key: key as webcrypto.JsonWebKey, format: 'jwk' })) !== undefined
}
