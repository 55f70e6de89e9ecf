/** The record of a caller: found and locked, or created by the first write. */
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { type Caller, NOBODY, type Subject, type Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import { isFrozen } from './age.ts'
import { type Locking, lockChanging, lockCounting, lockErasure, lockNamed, noteChanging } from './locks.ts'
import { erasedSubject, isErased, isSubject, type User } from './users.ts'

/**
 * Finds or creates the user record. Concurrent first requests create one record: the unique index decides. It
 * first tries to create the record, since callers of this function rarely have one.
 * @throws DomainError `invalid_token` (the fan was erased during the request)
 */
export async function ensureUser(
  tx: Transaction,
  subject: Subject,
  locking: Locking = {},
): Promise<EnsuredUser> {
  const ensured = await createRecord(tx, subject, locking)
  if (!ensured) throw deletedUser(ERASED)
  return ensured
}

interface EnsuredUser {
  user: Pick<User, 'id' | keyof Subject | keyof typeof UNRESTRICTED>
  created: boolean
}

/** Of a record without history. */
const UNRESTRICTED = { suspendedUntil: null, ageBand: null, guardianConsent: null, ownLimits: null }

/** Null if the fan was erased. */
async function createRecord(
  tx: Transaction,
  { provider, subject }: Subject,
  locking: Locking,
): Promise<EnsuredUser | null> {
  const [inserted] = await insertUser(tx, { id: tx.newId(), provider, subject, now: tx.now() })
  tx.invalidate(tokenValidityTag({ provider, subject }))
  if (inserted) noteChanging(tx, inserted.id)
  const user = inserted
    ? { id: inserted.id, provider, subject, ...UNRESTRICTED }
    : await lockNamed(tx, { provider, subject }, locking)
  // Read after the insert, which waits for concurrent transactions: one of them may have erased the fan.
  if (await selectErased(tx, provider, erasedSubject({ provider, subject }))) {
    if (inserted) await deleteUser(tx, inserted.id)
    return null
  }
  if (!user) throw new Error('the user record disappeared while it was created')
  return { user, created: inserted !== undefined }
}

const deleteUser = prepared((tx: Transaction, id: string) => {
  const { users } = tx.tables
  return tx.delete(users).where(eq(users.id, id))
})

/** The record of an erased fan, by the hash of the subject. */
const selectErased = preparedRow((reader: Reader, provider: string, erased: string) => {
  const { users } = reader.tables
  return reader
    .select({ id: users.id })
    .from(users)
    .where(isSubject(reader, provider, erased))
})

/**
 * The first statement of each unit of work of a caller: locks the record, or creates it. If the unit of work
 * is refused, a new record is rolled back. `toCount`: as `lockToCount`. `toChange`: as `lockToChange`.
 * @throws DomainError `invalid_token` (the fan was erased after the request was authenticated)
 */
export async function lockCaller(
  tx: Transaction,
  { provider, subject, userId }: Subject & Viewer,
  locking: Locking = {},
): Promise<LockedCaller> {
  if (userId === NOBODY) {
    const { user, created } = await ensureUser(tx, { provider, subject }, locking)
    const { id, suspendedUntil, ownLimits } = user
    const locked = { suspendedUntil, isFrozen: isFrozen(user), ownLimits }
    return { provider, subject, userId: id, isNew: created, ...locked }
  }
  const lock = locking.toChange ? lockChanging : locking.toCount ? lockCounting : lockErasure
  const [locked] = await lock(tx, userId)
  if (!locked || isErased(locked)) throw deletedUser(ERASED, userId)
  if (locked.mergedIntoId) throw mergedUser(userId)
  const { suspendedUntil, ownLimits } = locked
  return { provider, subject, userId, isNew: false, suspendedUntil, isFrozen: isFrozen(locked), ownLimits }
}

export interface LockedCaller extends Caller {
  suspendedUntil: Date | null
  /** Without the consent of a guardian that the fan needs. */
  isFrozen: boolean
}

const insertUser = prepared(
  (tx: Transaction, { now, ...user }: { id: string; provider: string; subject: string; now: Date }) =>
    tx
      .insert(tx.tables.users)
      .values({ ...user, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning({ id: tx.tables.users.id }),
)

export const ERASED = 'This user was erased.'

/** Refuses the token of a user who was erased here or deleted by the provider. */
export const deletedUser = (detail: string, userId?: string) =>
  new DomainError(transportProblems.invalid_token, {
    detail,
    security: { event: 'deleted_user_token_used', userId },
  })

/** Refuses a request that began before the fan was merged: the next sign-in leads to the other fan. */
const mergedUser = (userId: string) =>
  new DomainError(transportProblems.invalid_token, {
    detail: 'This user was merged into another one: sign in again.',
    security: { event: 'deleted_user_token_used', userId },
  })

/**
 * Logs a user out everywhere: session tokens issued up to `until`, and native sessions created from them, are refused.
 * An earlier `until` than before changes nothing.
 */
export async function endSessions(tx: Transaction, caller: Subject & Viewer, until: Date): Promise<void> {
  const { users } = tx.tables
  const { userId } = await lockCaller(tx, caller, { toChange: true })
  const isOlder = or(isNull(users.sessionsEndedAt), lt(users.sessionsEndedAt, until))
  const ended = await tx
    .update(users)
    .set({ sessionsEndedAt: until })
    .where(and(or(eq(users.id, userId), eq(users.mergedIntoId, userId)), isOlder))
    .returning({ provider: users.provider, subject: users.subject })
  for (const signIn of [caller, ...ended]) tx.invalidate(tokenValidityTag(signIn))
}
