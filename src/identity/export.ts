import { eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { findMirror, presentIdentity } from './mirror.ts'
import type { User } from './users.ts'

/** What the provider says of a fan, and whether a sync is still to be made up; its token stays secret. */
export async function exportIdentity(reader: Reader, user: User) {
  const { deferredSyncs } = reader.tables
  const mirror = await findMirror(reader, user.id)
  const { attempts, nextAttemptAt, tokenExpiresAt } = deferredSyncs
  const [deferredSync] = await reader
    .select({ attempts, nextAttemptAt, tokenExpiresAt })
    .from(deferredSyncs)
    .where(eq(deferredSyncs.userId, user.id))
  return {
    identity: { ...presentIdentity(user, mirror), deletedAt: mirror?.deletedAt ?? null },
    deferredSync: deferredSync ?? null,
  }
}
