/** Secrets that sign deliveries: shown once, encrypted in the database. */
import type { JWK } from 'jose'
import { deriveKey } from '../../core/derived-key.ts'
import { createEncryption } from '../../core/encryption.ts'

/** Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES = 32
const NONCE_BYTES = 12

type RandomBytes = (size: number) => Uint8Array

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>

interface SigningKeys {
  key: JWK
  /** The private ones also decrypt. */
  previousKeys: JWK[]
}

/** Encrypts with a key derived from the signing key of native tokens. */
export function createWebhookSecrets({ key, previousKeys }: SigningKeys) {
  const encryptionOf = (secret: string) => createEncryption(deriveKey(secret, 'webhook secrets'))
  const newest = encryptionOf(key.d ?? '')
  const encryptions = [newest, ...previousKeys.flatMap(({ d }) => (d === undefined ? [] : encryptionOf(d)))]
  return {
    /** A new secret: `whsec_` and base64. */
    generate: (randomBytes: RandomBytes) =>
      `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`,
    encrypt: (secret: string, endpointId: string, randomBytes: RandomBytes) =>
      newest.encrypt(secret, endpointId, randomBytes(NONCE_BYTES)),
    /** Null if it was encrypted under a key that is no longer known. */
    decrypt(encrypted: string, endpointId: string): string | null {
      for (const { decrypt } of encryptions) {
        const secret = decrypt(encrypted, endpointId)
        if (secret !== null) return secret
      }
      return null
    },
    /** Whether it was encrypted under the current key. */
    isCurrent: (encrypted: string, endpointId: string) => newest.decrypt(encrypted, endpointId) !== null,
  }
}
