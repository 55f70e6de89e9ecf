import { hash } from 'node:crypto'

const PREFIX = 'mdrt_'
/** 32 bytes in base64url. */
const RANDOM_LENGTH = 43

/**
 * 256 random bits, marked so that secret scanners know them, then the OAuth client's id, if known: a session keeps its
 * client without a column for it. Kept only as `hashRefreshToken` of the whole, so that neither part can be changed.
 */
export function mintRefreshToken(random: Uint8Array, clientId: string | null): string {
  return `${PREFIX}${Buffer.from(random).toString('base64url')}${Buffer.from(clientId ?? '').toString('base64url')}`
}

/** Of a token whose hash is known. Null where no client was known, and for tokens of releases that kept none. */
export function clientOfRefreshToken(token: string): string | null {
  return Buffer.from(token.slice(PREFIX.length + RANDOM_LENGTH), 'base64url').toString() || null
}

/** SHA-256 in hex. No salt: what is hashed is random already. */
export function hashRefreshToken(token: string): string {
  return hash('sha256', token, 'hex')
}
