/** Encrypts short secrets for the database: AES-256-GCM. */
import { createCipheriv, createDecipheriv } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Encryption = ReturnType<typeof createEncryption>

/** `key`: 32 bytes, of `deriveKey`. */
export function createEncryption(key: Buffer) {
  return {
    /** `nonce` must be 12 fresh random bytes. `owner` binds the ciphertext to one row. */
    encrypt(text: string, owner: string, nonce: Uint8Array): string {
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
    },
    /** Null if the text was encrypted with another key or for another owner. */
    decrypt(ciphertext: string, owner: string): string | null {
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
