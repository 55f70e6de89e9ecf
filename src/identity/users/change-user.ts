/** Changes of a user record by the fan and by rooms. Each locks the record as `lockToChange` says. */
import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import { lockToChange } from './locks.ts'
import { type ProfileChange, pickProfile } from './profile-fields.ts'
import { nameKeyChange } from './search-keys.ts'
import { findUserById, type User } from './users.ts'

/** Notes that the fan has blocked another one, or was blocked. */
export async function noteBlock(tx: Transaction, userId: string): Promise<void> {
  if ((await findUserById(tx, userId))?.hasBlocks) return
  await lockToChange(tx, userId)
  const { users } = tx.tables
  const [noted] = await tx
    .update(users)
    .set({ hasBlocks: true })
    .where(and(eq(users.id, userId), isNull(users.hasBlocks)))
    .returning({ provider: users.provider, subject: users.subject })
  if (noted) tx.invalidate(tokenValidityTag(noted))
}

/** Writes the members that `change` has. Returns the profile after it; undefined if there is no record, or if the fan is erased. */
export async function updateUser(tx: Transaction, userId: string, change: ProfileChange) {
  const named = { ...change, ...nameKeyChange(change) }
  await lockToChange(tx, userId)
  const [updated] = await updateActive(tx, { ...named, id: userId, updatedAt: tx.now() })
  return updated
}

const updateActive = prepared((tx: Transaction, { id, ...change }: Partial<User> & { id: string }) => {
  const { users } = tx.tables
  const { provider, subject } = users
  return tx
    .update(users)
    .set(change)
    .where(and(eq(users.id, id), isNull(users.erasedAt)))
    .returning({ provider, subject, ...pickProfile(users) })
})
