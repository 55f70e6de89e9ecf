/** The mirror of the provider's data about a user. Sync and webhook both write through `mirrorIdentity`. */
import { eq, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Caller, Subject } from '../../core/caller.ts'
import { fanTag, tokenValidityTag } from '../../platform/cache/tags.ts'
import type { IdentityClaims } from '../../platform/identity-provider/claims.ts'
import { noteClaimedAge } from './age.ts'
import { FIELDS, type MirroredField, mergeClaims } from './merge-claims.ts'
import type { Identity } from './schema.ts'
import { searchKeysOf } from './search-keys.ts'
import { findSignIn, type User } from './users.ts'

export type Mirror = Tables['identities']['$inferSelect']

/** Query for the mirror of a user. */
export function mirrorOf(reader: Reader, userId: string) {
  const { identities } = reader.tables
  return reader.select().from(identities).where(eq(identities.userId, userId))
}

export const findMirror = preparedRow(mirrorOf)

export function presentIdentity(
  { provider, subject }: Subject,
  row?: Omit<Mirror, 'emailHash' | 'nameKey' | 'emailKey' | 'fieldTimes' | 'statedAt' | 'deletedAt'> | null,
): typeof Identity.static {
  return {
    provider,
    subject,
    email: row?.email ?? null,
    emailVerified: row?.emailVerified ?? null,
    name: row?.name ?? null,
    picture: row?.picture ?? null,
    updatedAt: row?.updatedAt?.toISOString() ?? null,
    syncedAt: row?.syncedAt?.toISOString() ?? null,
  }
}

/**
 * Merges a statement of the provider into the mirror, unless the provider has deleted the user. Returns the changed
 * fields. Removes a queued sync, which is no longer needed.
 */
export async function mirrorIdentity(
  tx: Transaction,
  userId: string,
  claims: IdentityClaims,
): Promise<MirroredField[]> {
  // Locks the row on both engines, so that concurrent statements are merged one after the other.
  const [before] = await lockMirror(tx, userId)
  await dequeueSync(tx, userId)
  await noteAge(tx, userId, claims)
  const merged = before && mergeClaims(before, claims)
  if (!merged) return []
  const isSameEmail = merged.email === before.email && merged.emailVerified === before.emailVerified
  const emailHash = isSameEmail ? before.emailHash : null
  await updateMirror(tx, { ...merged, ...searchKeysOf(merged), userId, emailHash, syncedAt: tx.now() })
  tx.invalidate(fanTag(userId))
  return FIELDS.filter(field => merged[field] !== before[field])
}

/** Only a provider with IDP_AGE_CLAIM states an age band. */
async function noteAge(tx: Transaction, userId: string, { ageBand, statedAt }: IdentityClaims) {
  if (ageBand !== undefined)
    await noteClaimedAge(tx, userId, { ageBand, source: 'provider', assuredAt: statedAt })
}

const lockMirror = prepared((tx: Transaction, userId: string) => {
  const { identities } = tx.tables
  return tx
    .insert(identities)
    .values({ userId })
    .onConflictDoUpdate({
      target: identities.userId,
      set: { deletedAt: null },
      setWhere: isNull(identities.deletedAt),
    })
    .returning()
})

const updateMirror = prepared((tx: Transaction, { userId, ...mirror }: Omit<Mirror, 'deletedAt'>) => {
  const { identities } = tx.tables
  return tx.update(identities).set(mirror).where(eq(identities.userId, userId))
})

/** As `mirrorIdentity`, for a user record of this unit of work, which has no mirror and no queued sync. False: nothing was written. */
export async function createMirror(tx: Transaction, userId: string, claims: IdentityClaims) {
  await noteAge(tx, userId, claims)
  const merged = mergeClaims(EMPTY, claims)
  if (!merged) return false
  const keys = { emailHash: null, ...searchKeysOf(merged) }
  await insertMirror(tx, { ...merged, ...keys, userId, syncedAt: tx.now() })
  return true
}

const EMPTY = {
  email: null,
  emailVerified: null,
  name: null,
  picture: null,
  updatedAt: null,
  statedAt: null,
  fieldTimes: null,
}

const insertMirror = prepared((tx: Transaction, mirror: Omit<Mirror, 'deletedAt'>) =>
  tx.insert(tx.tables.identities).values(mirror),
)

/** Replaces the mirror of a deleted user with a tombstone: it is emptied, and no later statement fills it. */
export async function tombstoneIdentity(
  tx: Transaction,
  user: Pick<User, 'id' | keyof Subject>,
): Promise<void> {
  const { identities } = tx.tables
  const tombstone = {
    ...EMPTY,
    emailHash: null,
    ...searchKeysOf(EMPTY),
    syncedAt: tx.now(),
    deletedAt: tx.now(),
  }
  await tx
    .insert(identities)
    .values({ userId: user.id, ...tombstone })
    .onConflictDoUpdate({ target: identities.userId, set: tombstone, setWhere: isNull(identities.deletedAt) })
  tx.invalidate(fanTag(user.id))
  tx.invalidate(tokenValidityTag(user))
  await dequeueSync(tx, user.id)
}

/** Removes the queued sync of a user, because it succeeded or can no longer succeed. */
export const dequeueSync = prepared((tx: Transaction, userId: string) => {
  const { deferredSyncs } = tx.tables
  return tx.delete(deferredSyncs).where(eq(deferredSyncs.userId, userId))
})

/** Whether a sync of the user is queued. */
export async function isSyncQueued(reader: Reader, userId: string): Promise<boolean> {
  const { deferredSyncs } = reader.tables
  return (await countRows(reader, deferredSyncs, eq(deferredSyncs.userId, userId))) > 0
}

/** Writes the provider's data to the mirror. */
export async function syncIdentity(tx: Transaction, caller: Caller, claims: IdentityClaims) {
  // A fan who was merged has a mirror for each sign-in.
  const signInId = (await findSignIn(tx, caller))?.id ?? caller.userId
  const changed = await mirrorIdentity(tx, signInId, claims)
  const identity = presentIdentity(caller, await findMirror(tx, signInId))
  return { identity, changed, syncedAt: tx.now().toISOString() }
}
