/** Encrypts a session token for the database: AES-256-GCM, under a key that only the configuration yields. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { deriveKey } from '../core/derived-key.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface TokenEncryption {
  /** `nonce` must be fresh: 12 random bytes. `owner` binds the seal to one subject. */
  encrypt(token: string, owner: string, nonce: Uint8Array): string
  /** Null when it was sealed under another key or for somebody else. */
  decrypt(sealed: string, owner: string): string | null
}

/** `secret` is any high-entropy text that all instances share. */
export function createTokenEncryption(secret: string): TokenEncryption {
  const key = deriveKey(secret, 'deferred sync')
  return {
    encrypt(token, owner, nonce) {
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    decrypt(sealed, owner) {
      const bytes = Buffer.from(sealed, 'base64url')
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
