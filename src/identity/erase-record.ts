/** The part of an erasure that concerns who a fan is: what they wrote, what the provider says, what it knows them by. */
import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { buryIdentity } from './mirror.ts'
import { erasedSubject, type User } from './users.ts'

/** Columns of a user record that a fan writes: the members of their profile. */
export const OWN_FIELDS = [
  'displayName',
  'handle',
  'avatarUrl',
  'bio',
  'country',
  'locale',
  'favoriteTeamId',
] as const

/**
 * Empties the record, frees the handle, and leaves a tombstone that no sync, webhook or sign-in fills again. The row's
 * lock comes first: whatever writes about the fan at the same time has written before, or finds them erased.
 * False when they were erased already.
 */
export async function eraseRecord(tx: Transaction, user: User): Promise<boolean> {
  const { users } = tx.tables
  const [erased] = await tx
    .update(users)
    .set({
      ...Object.fromEntries(OWN_FIELDS.map(name => [name, null])),
      subject: erasedSubject(user),
      sessionsEndedAt: tx.now(),
      erasedAt: tx.now(),
      updatedAt: tx.now(),
    })
    .where(and(eq(users.id, user.id), isNull(users.erasedAt)))
    .returning()
  if (!erased) return false
  await buryIdentity(tx, user)
  return true
}
