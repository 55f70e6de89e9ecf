import { hash } from 'node:crypto'

/** 256 random bits, marked so that secret scanners know them. Kept only as `hashRefreshToken` of it. */
export function mintRefreshToken(random: Uint8Array): string {
  return `mdrt_${Buffer.from(random).toString('base64url')}`
}

/** SHA-256 in hex. No salt: what is hashed is random already. */
export function hashRefreshToken(token: string): string {
  return hash('sha256', token, 'hex')
}
