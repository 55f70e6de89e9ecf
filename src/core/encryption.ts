/** Encrypts short secrets for the database: AES-256-GCM. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { deriveKey } from './derived-key.ts'

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

/**
 * The keys from which encryption keys are derived. Texts that were encrypted before a rotation can still be
 * decrypted.
 */
export interface RotatedKeys {
  key: { d?: string | undefined }
  previousKeys: { d?: string | undefined }[]
}

export type RotatingEncryption = Encryption & {
  /** The start of each text that was encrypted with the current key. */
  readonly currentPrefix: string
  /** The same for each known key: nine characters. */
  readonly prefixes: readonly string[]
}

/** As `createEncryption`, for one purpose. Each text names the key that encrypted it. */
export function createRotatingEncryption(
  { key, previousKeys }: RotatedKeys,
  purpose: string,
): RotatingEncryption {
  const ofSecret = (secret: string) => {
    const prefix = `${deriveKey(secret, `${purpose}: name of the key`).toString('base64url').slice(0, 8)}.`
    return { prefix, ...createEncryption(deriveKey(secret, purpose)) }
  }
  const newest = ofSecret(key.d ?? '')
  const all = [newest, ...previousKeys.flatMap(({ d }) => (d === undefined ? [] : ofSecret(d)))]
  return {
    currentPrefix: newest.prefix,
    prefixes: all.map(({ prefix }) => prefix),
    encrypt: (text, owner, nonce) => newest.prefix + newest.encrypt(text, owner, nonce),
    decrypt(ciphertext, owner) {
      const used = all.find(({ prefix }) => ciphertext.startsWith(prefix))
      return used ? used.decrypt(ciphertext.slice(used.prefix.length), owner) : null
    },
  }
}
