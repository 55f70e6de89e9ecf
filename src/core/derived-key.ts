import { hkdfSync } from 'node:crypto'

/** Derives a key of 32 bytes for one purpose from a shared secret (HKDF-SHA-256, RFC 5869). */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `matchday ${purpose}`, 32))
}
