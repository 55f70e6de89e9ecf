/** Encrypts session tokens for the database: AES-256-GCM with a key derived from the configuration. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { deriveKey } from '../core/derived-key.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface TokenEncryption {
  /** `nonce` must be 12 fresh random bytes. `owner` binds the ciphertext to one subject. */
  encrypt(token: string, owner: string, nonce: Uint8Array): string
  /** Null if the token was encrypted with another key or for another owner. */
  decrypt(ciphertext: string, owner: string): string | null
}

/** `secret`: any high-entropy text that all instances share. */
export function createTokenEncryption(secret: string): TokenEncryption {
  const key = deriveKey(secret, 'deferred sync')
  return {
    encrypt(token, owner, nonce) {
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const encrypted = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
    },
    decrypt(ciphertext, owner) {
      const bytes = Buffer.from(ciphertext, 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
          .setAAD(Buffer.from(owner))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}
