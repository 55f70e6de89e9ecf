import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { Caller } from '../core/caller.ts'

/** The devices a fan signed in on, those signed out included. No token, and no hash of one. */
export function exportSessions(reader: Reader, { provider, subject }: Caller) {
  const { nativeSessions } = reader.tables
  const { id, deviceName, createdAt, rotatedAt, expiresAt, revokedAt } = nativeSessions
  return reader
    .select({ id, deviceName, createdAt, lastUsedAt: rotatedAt, expiresAt, revokedAt })
    .from(nativeSessions)
    .where(and(eq(nativeSessions.provider, provider), eq(nativeSessions.subject, subject)))
    .orderBy(asc(createdAt), asc(id))
}
