/** The user records of many fans, for imports. */
import { inArray } from 'drizzle-orm'
import { insertRows, updateRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import { deletedUser, ERASED } from './callers.ts'
import { lockAllToChange, lockSubjects } from './locks.ts'
import { PROFILE_FIELDS, type ProfileChange } from './profile-fields.ts'
import { nameKeyChange } from './search-keys.ts'
import { erasedSubject, type User } from './users.ts'

/**
 * As `ensureUser` for distinct subjects of a provider: their ids, by subject. The number of statements does not depend on theirs.
 * @throws DomainError `invalid_token` (a fan was erased meanwhile)
 */
export async function ensureUsers(
  tx: Transaction,
  provider: string,
  subjects: string[],
): Promise<Map<string, string>> {
  const users = await ensureRecords(tx, provider, subjects)
  if (users.size < subjects.length) throw deletedUser(ERASED)
  return users
}

/** As `ensureUsers`, without those who were erased. */
export async function ensureRecords(
  tx: Transaction,
  provider: string,
  subjects: string[],
): Promise<Map<string, string>> {
  if (subjects.length === 0) return new Map()
  const now = tx.now()
  // In one order: two imports cannot wait for each other.
  const rows = subjects
    .toSorted()
    .map(subject => ({ id: tx.newId(), provider, subject, createdAt: now, updatedAt: now }))
  await insertRows(tx, tx.tables.users, rows, 'skip')
  for (const subject of subjects) tx.invalidate(tokenValidityTag({ provider, subject }))
  const ids = await lockSubjects(tx, provider, subjects)
  // Read after the insert, which waits for concurrent transactions: one of them may have erased a fan.
  const hashes = new Map(subjects.map(subject => [erasedSubject({ provider, subject }), subject]))
  const erased = await lockSubjects(tx, provider, [...hashes.keys()])
  if (erased.size === 0) return ids
  const gone = new Set([...erased.keys()].map(hash => hashes.get(hash)))
  const own = rows.filter(({ id, subject }) => gone.has(subject) && ids.get(subject) === id)
  const { users } = tx.tables
  await tx.delete(users).where(
    inArray(
      users.id,
      own.map(({ id }) => id),
    ),
  )
  return new Map([...ids].filter(([subject]) => !gone.has(subject)))
}

/** Writes the members of each change that are not null. Returns the records of these fans, who are locked by `ensureUsers`. */
export async function updateUsers(
  tx: Transaction,
  changes: ({ id: string } & ProfileChange)[],
): Promise<User[]> {
  const { users } = tx.tables
  const rows = changes.map(change => ({ ...change, ...nameKeyChange(change), updatedAt: tx.now() }))
  const ids = changes.map(({ id }) => id)
  await lockAllToChange(tx, ids)
  await updateRows(tx, users, rows, [...PROFILE_FIELDS, 'nameKey', 'updatedAt'], { keepsNull: true })
  return tx.select().from(users).where(inArray(users.id, ids))
}
