import { eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { findMirror, presentIdentity } from './mirror.ts'
import type { User } from './users.ts'

/**
 * What the provider says of a fan, and whether a sync is still to be made up; its token stays secret. Of an erased fan
 * there is no subject any more: the hash in its place is not the provider's, nor is what buried the mirror a sync.
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
  // An erasure buries the mirror at its own instant, unless the provider had deleted the user before.
  const deletedBefore = deletedAt && deletedAt < erasedAt ? deletedAt : null
  return {
    subject,
    identity: { ...identity, subject: null, syncedAt: null, deletedAt: deletedBefore, erasedAt },
    deferredSync: deferredSync ?? null,
  }
}
