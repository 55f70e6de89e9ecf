/** Signed links to files, which expire: a browser opens them without a session token. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from './constant-time.ts'
import { deriveKey } from './derived-key.ts'

/** Long enough to begin the download. */
const VALID_MS = 10 * 60_000

/** `secret`: any high-entropy text that all instances share. `use`: links of another use are forged ones. */
export function createSignedLinks(secret: string, use: string, folder: `/${string}/`) {
  const key = deriveKey(secret, use)
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    /** `name`: of what the link opens. It may contain full stops. */
    issue(name: string, now: Date): { url: string; expiresAt: Date } {
      const expiresAt = new Date(now.getTime() + VALID_MS)
      const text = `${name}.${expiresAt.getTime()}`
      return { url: `${folder}${text}.${sign(text)}`, expiresAt }
    },
    /** The name; null for a link that is forged or has expired. */
    read(token: string, now: Date): string | null {
      const parts = token.split('.')
      const [expiresAt = '', signature = ''] = parts.splice(-2)
      const name = parts.join('.')
      const isGenuine = isSameSecret(signature, sign(`${name}.${expiresAt}`))
      return isGenuine && Number(expiresAt) > now.getTime() ? name : null
    },
  }
}

/** Headers of a file that a browser stores: it never opens as a page. `name` has no character that needs an escape. */
export const attachmentHeaders = (name: string) => ({
  'Cache-Control': 'private, no-store',
  'Content-Disposition': `attachment; filename="${name}"`,
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
})
