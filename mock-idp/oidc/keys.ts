import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, type JWK } from 'jose'

/** The algorithms that the provider can sign with (RFC 7518 §3.1, RFC 8037 §3.1). */
export const signingAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  /** Is never published. */
  privateJwk: JWK
  /** As published: with `kid`, `alg` and `use`. */
  publicJwk: JWK
}

export type KeyRing = ReturnType<typeof createKeyRing>

type Keys = [SigningKey, ...SigningKey[]]

/** Where keys outlast the process. */
export interface KeyStore {
  load(): Keys | undefined
  save(keys: Keys): void
}

/** The signing keys of one provider. Without a `store` a restart creates new ones. */
export function createKeyRing(store?: KeyStore) {
  let keys = store?.load() ?? ([generateSigningKey('ES256')] as Keys)
  store?.save(keys)
  let lookup: ReturnType<typeof createLocalJWKSet> | undefined
  const publish = (next: Keys) => {
    keys = next
    store?.save(next)
    lookup = undefined
  }
  return {
    /** The signing key: the newest. */
    get current(): SigningKey {
      return keys[0]
    },
    /** The published key set (RFC 7517), newest first. */
    get jwks() {
      return { keys: keys.map(({ publicJwk }) => ({ ...publicJwk })) } as JSONWebKeySet
    },
    /** Finds the published key of a token; passed to jose's verify functions. */
    get lookup() {
      lookup ??= createLocalJWKSet(this.jwks)
      return lookup
    },
    /** Creates a new signing key; the old ones stay published. */
    rotate(alg: SigningAlgorithm = 'ES256'): SigningKey {
      publish([generateSigningKey(alg), ...keys])
      return keys[0]
    },
    /** Stops publishing every key except the signing key, and returns the ids of the removed keys. */
    retire(): string[] {
      const [current, ...old] = keys
      publish([current])
      return old.map(({ kid }) => kid)
    },
    /** Replaces every key with one new key. */
    reset(): void {
      publish([generateSigningKey('ES256')])
    },
  }
}

/** A new key pair with a random `kid`. The defects `wrong_key` and `embedded_jwk` sign with one too. */
export function generateSigningKey(alg: SigningAlgorithm): SigningKey {
  const { privateKey, publicKey } = generatePair(alg)
  const kid = `mock-${randomBytes(6).toString('hex')}`
  return {
    kid,
    alg,
    privateJwk: { ...(privateKey.export({ format: 'jwk' }) as JWK), alg, kid },
    publicJwk: { ...(publicKey.export({ format: 'jwk' }) as JWK), kid, alg, use: 'sig' },
  }
}

function generatePair(alg: SigningAlgorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}
