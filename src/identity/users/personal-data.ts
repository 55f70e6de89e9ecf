import { eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
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
  const deletedAt = mirror?.deletedAt ?? null
  const identity = presentIdentity(user, mirror)
  if (!erasedAt) {
    const subject = { provider, subject: user.subject }
    return { subject, identity: { ...identity, deletedAt }, deferredSync: deferredSync ?? null }
  }
  const subject = { provider, subject: null }
  // An erasure sets `deletedAt` to its own time, unless the provider had deleted the user before.
  const deletedBefore = deletedAt && deletedAt < erasedAt ? deletedAt : null
  return {
    subject,
    identity: { ...identity, subject: null, syncedAt: null, deletedAt: deletedBefore, erasedAt },
    deferredSync: deferredSync ?? null,
  }
}
