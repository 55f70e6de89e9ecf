/** Erases the identity of a fan: the profile, the mirror and the subject. A tombstone remains. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { rowsOfListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { UNKNOWN_AGE } from './age.ts'
import { tombstoneIdentity } from './mirror.ts'
import { PROFILE_FIELDS } from './profile-fields.ts'
import { erasedSubject, type User } from './users.ts'

/** What remains of an erased fan. It identifies no person. */
export interface Tombstone {
  provider: string
  /** Replaces the subject: see `erasedSubject`. */
  subject: string
  erasedAt: Date
}

/** All erased fans, ordered by the id of their user record. */
export const listTombstones = (reader: Reader) => {
  const { id, provider, subject, erasedAt } = reader.tables.users
  return eachRow({ id }, after =>
    reader
      .select({ id, provider, subject, erasedAt })
      .from(reader.tables.users)
      .where(and(isNotNull(erasedAt), after)),
  )
}

/** Which of these fans are erased. */
export async function listErased(reader: Reader, userIds: string[]): Promise<Set<string>> {
  const rows = await selectErased(reader, toList(userIds))
  return new Set(rows.map(({ id }) => id))
}

const selectErased = prepared((reader: Reader, userIds: string) => {
  const { users } = reader.tables
  const found = rowsOfListed(reader, users, userIds, id => eq(users.id, id))
  return reader.with(found).select({ id: found.id }).from(found).where(isNotNull(found.erasedAt))
})

/** Inserts the tombstone of a fan without a record, whose record was created after the backup that was restored. */
export async function insertTombstone(tx: Transaction, { provider, subject, erasedAt }: Tombstone) {
  const times = { erasedAt, sessionsEndedAt: erasedAt, createdAt: erasedAt, updatedAt: erasedAt }
  const [user] = await tx
    .insert(tx.tables.users)
    .values({ id: tx.newId(), provider, subject, ...times })
    .onConflictDoNothing()
    .returning()
  if (user) await tombstoneIdentity(tx, user)
}

/**
 * Empties the user record, frees the handle, and leaves a tombstone that no sync, webhook or sign-in fills again. Returns
 * false if the fan was erased already. First in an erasure: see `lockRecord` of `users.ts`.
 */
export async function eraseRecord(tx: Transaction, user: User): Promise<boolean> {
  const { users } = tx.tables
  const [erased] = await tx
    .update(users)
    .set({
      ...Object.fromEntries(PROFILE_FIELDS.map(name => [name, null])),
      subject: erasedSubject(user),
      nameKey: null,
      hasBlocks: null,
      ...UNKNOWN_AGE,
      ownLimits: null,
      sessionsEndedAt: tx.now(),
      erasedAt: tx.now(),
      updatedAt: tx.now(),
    })
    .where(and(eq(users.id, user.id), isNull(users.erasedAt)))
    .returning()
  await tombstoneIdentity(tx, user)
  return erased !== undefined
}
