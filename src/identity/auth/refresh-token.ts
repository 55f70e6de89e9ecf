import { hash } from 'node:crypto'

const PREFIX = 'mdrt_'
/** 32 bytes in base64url. */
const RANDOM_LENGTH = 43

/**
 * A prefix for secret scanners, 256 random bits, and the OAuth client id if known, so that a session keeps its client
 * without a column. The database has only the hash of the whole token, so no part can be changed.
 */
export function mintRefreshToken(random: Uint8Array, clientId: string | null): string {
  return `${PREFIX}${Buffer.from(random).toString('base64url')}${Buffer.from(clientId ?? '').toString('base64url')}`
}

/** The OAuth client id in a token whose hash is known; null if it has none. */
export function clientOfRefreshToken(token: string): string | null {
  return Buffer.from(token.slice(PREFIX.length + RANDOM_LENGTH), 'base64url').toString() || null
}

/** SHA-256 in hex. Needs no salt, because the token is random. */
export function hashRefreshToken(token: string): string {
  return hash('sha256', token, 'hex')
}
