import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { Caller } from '../../../core/caller.ts'
import { parseStored } from '../../../core/texts.ts'

/** Responses stored for a fan's repeats, until they expire. */
export async function exportStoredResponses(reader: Reader, { provider, subject }: Caller) {
  const { idempotencyKeys: keys } = reader.tables
  const { route, key, status, response, expiresAt } = keys
  const rows = await reader
    .select({ route, key, status, response, expiresAt })
    .from(keys)
    .where(and(eq(keys.provider, provider), eq(keys.subject, subject)))
    .orderBy(asc(route), asc(key))
  return rows.map(row => ({ ...row, response: row.response === null ? null : parseStored(row.response) }))
}
