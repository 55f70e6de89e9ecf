/** Secrets of links and sessions. The database has only their hashes, which need no salt because the secrets are random. */
import { hash } from 'node:crypto'

const SECRET_BYTES = 32

/** 256 bits in base64url. */
export const mintSecret = (randomBytes: (size: number) => Uint8Array): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')

/** SHA-256, in lower-case hex. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

/** Proves that a page of the console made a request: its pages can read the token, and other sites cannot. */
export const csrfTokenOf = (token: string): string => hash('sha256', `csrf ${token}`, 'base64url')
