/** Signed links to files of exports, which expire: a browser opens them without a session token. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../core/constant-time.ts'
import { deriveKey } from '../../core/derived-key.ts'

/** Long enough to begin the download. */
const VALID_MS = 10 * 60_000

export type ExportLinks = ReturnType<typeof createExportLinks>

/** `secret`: any high-entropy text that all instances share. */
export function createExportLinks(secret: string) {
  const key = deriveKey(secret, 'links to exports')
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    issue(exportId: string, now: Date): string {
      const text = `${exportId}.${now.getTime() + VALID_MS}`
      return `/exports/${text}.${sign(text)}`
    },
    /** The export of a link; null for a link that is forged or has expired. */
    read(token: string, now: Date): string | null {
      const [exportId = '', expiresAt, signature = '', ...more] = token.split('.')
      const isGenuine = isSameSecret(signature, sign(`${exportId}.${expiresAt}`)) && more.length === 0
      return isGenuine && Number(expiresAt) > now.getTime() ? exportId : null
    },
  }
}
