import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Subject } from '../../core/caller.ts'

/** The sessions of a fan, ended ones included, without tokens and hashes. */
export function exportSessions(reader: Reader, { provider, subject }: Subject) {
  const { nativeSessions } = reader.tables
  const { id, deviceName, createdAt, rotatedAt, expiresAt, revokedAt } = nativeSessions
  return reader
    .select({ id, deviceName, createdAt, lastUsedAt: rotatedAt, expiresAt, revokedAt })
    .from(nativeSessions)
    .where(and(eq(nativeSessions.provider, provider), eq(nativeSessions.subject, subject)))
    .orderBy(asc(createdAt), asc(id))
}
