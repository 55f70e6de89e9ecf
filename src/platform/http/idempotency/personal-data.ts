import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { Subject } from '../../../core/caller.ts'
import type { Encryption } from '../../../core/encryption.ts'
import { parseStored } from '../../../core/texts.ts'
import { decryptStored } from './stored-response.ts'

/** Responses stored for a fan's repeats, until they expire. */
export async function exportStoredResponses(
  reader: Reader,
  { provider, subject }: Subject,
  encryption?: Encryption,
) {
  const { idempotencyKeys: keys } = reader.tables
  const { route, key, status, response, expiresAt } = keys
  const rows = await reader
    .select({ route, key, status, response, expiresAt })
    .from(keys)
    .where(and(eq(keys.provider, provider), eq(keys.subject, subject)))
    .orderBy(asc(route), asc(key))
  return rows.map(row => {
    const text = row.response && decryptStored(encryption, { provider, subject, ...row }, row.response)
    return { ...row, response: text === null ? null : parseStored(text) }
  })
}
