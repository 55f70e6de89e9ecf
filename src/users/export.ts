import { eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { findMirror, presentIdentity } from './mirror.ts'
import type { User } from './users.ts'

/**
 * The mirror of a fan's identity, and the deferred sync without its token. For an erased fan `subject` and `syncedAt` are
 * null: the stored values are a hash and the time of the erasure.
 */
export async function exportIdentity(reader: Reader, user: User) {
  const { deferredSyncs } = reader.tables
  const mirror = await findMirror(reader, user.id)
  const { attempts, nextAttemptAt, tokenExpiresAt } = deferredSyncs
  const [deferredSync] = await reader
    .select({ attempts, nextAttemptAt, tokenExpiresAt })
    .from(deferredSyncs)
    .where(eq(deferredSyncs.userId, user.id))
  const { provider, erasedAt } = user
  const subject = erasedAt ? null : user.subject
  const deletedAt = mirror?.deletedAt ?? null
  // An erasure sets `deletedAt` to its own time, unless the provider had deleted the user before.
  const deletedBefore = deletedAt && erasedAt && deletedAt < erasedAt ? deletedAt : null
  const state = erasedAt ? { subject, syncedAt: null, deletedAt: deletedBefore, erasedAt } : { deletedAt }
  return {
    subject: { provider, subject },
    identity: { ...presentIdentity(user, mirror), ...state },
    deferredSync: deferredSync ?? null,
  }
}
