/** User records: looked up by the subject of a token, created by the first write. */

import { hash } from 'node:crypto'
import { and, asc, eq, isNull, lt, or, type SQL } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksExclusively, locksForUpdate, locksInUnitOfWork, locksShared } from '../../../db/row-lock.ts'
import { type Caller, NOBODY, type Subject, type Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import type { ProfileChange } from './profile-fields.ts'
import { nameKeyChange } from './search-keys.ts'

export type User = Tables['users']['$inferSelect']

/** Undefined if there is no record, or if the fan is erased. */
export async function findUser(reader: Reader, subject: Subject): Promise<User | undefined> {
  const records = await findRecords(reader, subject)
  return records.some(isErased) ? undefined : records[0]
}

/** The records of all fans who are not erased, by id. */
export const eachUser = (reader: Reader): AsyncGenerator<User> => {
  const { users } = reader.tables
  return eachRow({ id: users.id }, after =>
    reader
      .select()
      .from(users)
      .where(and(isNull(users.erasedAt), after)),
  )
}

/** Finds also the record of an erased fan, by the hash of the subject. */
export async function findRecords(reader: Reader, subject: Subject): Promise<User[]> {
  const records = await selectRecords(reader, subjectKeysOf(subject))
  const [first, ...others] = records
  return first?.mergedIntoId ? [await requireUser(reader, first.mergedIntoId), ...others] : records
}

/** The record of the subject itself, also of a fan who was merged into another one: the provider’s data is per sign-in. */
export async function findSignIn(reader: Reader, subject: Subject): Promise<User | undefined> {
  return (await selectRecords(reader, subjectKeysOf(subject))).find(record => !isErased(record))
}

/** The fan into which another fan was merged. It exists, since records are never deleted. */
export async function requireUser(reader: Reader, userId: string): Promise<User> {
  const user = await findUserById(reader, userId)
  if (!user) throw new Error('the record of a fan is missing')
  return user
}

export interface SubjectKeys {
  provider: string
  subject: string
  erased: string
}

/** Query for the record of this name, which is a subject or what replaces an erased one. */
const recordNamed = (reader: Reader, provider: string, name: string) =>
  reader
    .select()
    .from(reader.tables.users)
    .where(isSubject(reader, provider, name))

const selectNamed = preparedRow(recordNamed)

/** Two lookups by the whole index: for `in`, PostgreSQL reads all users of the provider if it has planned while there were few. */
const selectRecords = prepared((reader: Reader, { provider, subject, erased }: SubjectKeys) =>
  recordNamed(reader, provider, subject).unionAll(recordNamed(reader, provider, erased)),
)

export const isErased = ({ erasedAt }: Pick<User, 'erasedAt'>) => erasedAt !== null

export const isSubject = (
  { tables: { users } }: Pick<Reader, 'tables'>,
  provider: string,
  subject: string | SQL<string>,
) => and(eq(users.provider, provider), eq(users.subject, subject))

/** The values by which a fan's record is found. */
export const subjectKeysOf = ({ provider, subject }: Subject): SubjectKeys => {
  return { provider, subject, erased: erasedSubject({ provider, subject }) }
}

/**
 * Replaces the subject of an erased fan: the SHA-256, in lower-case hex, of the JSON array `["erased", provider, subject]`.
 * It does not disclose the subject, but a request with the subject finds the record.
 */
export function erasedSubject({ provider, subject }: Subject): string {
  return `erased:${hash('sha256', JSON.stringify(['erased', provider, subject]), 'hex')}`
}

/**
 * Finds or creates the user record. Concurrent first requests create one record: the unique index decides. It
 * first tries to create the record, since callers of this function rarely have one.
 * @throws DomainError `invalid_token` (the fan was erased during the request)
 */
export async function ensureUser(tx: Transaction, subject: Subject): Promise<EnsuredUser> {
  const ensured = await createRecord(tx, subject)
  if (!ensured) throw deletedUser(ERASED)
  return ensured
}

interface EnsuredUser {
  user: User
  created: boolean
}

/** As `ensureUser`, but looks for the record first. Null if the fan was erased. */
export async function ensureRecord(tx: Transaction, subject: Subject): Promise<EnsuredUser | null> {
  const known = await lockNamed(tx, subject)
  if (!known) return createRecord(tx, subject)
  return isErased(known) ? null : { user: known, created: false }
}

async function createRecord(tx: Transaction, { provider, subject }: Subject): Promise<EnsuredUser | null> {
  const [inserted] = await insertUser(tx, { id: tx.newId(), provider, subject, now: tx.now() })
  tx.invalidate(tokenValidityTag({ provider, subject }))
  const user = inserted ?? (await lockNamed(tx, { provider, subject }))
  // Read after the insert, which waits for concurrent transactions: one of them may have erased the fan.
  if (await selectErased(tx, { provider, subject })) {
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
const selectErased = (reader: Reader, subject: Subject) =>
  selectNamed(reader, subject.provider, erasedSubject(subject))

/**
 * The one guard against writes for an erased fan: every unit of work that writes for a fan locks the fan's
 * record first, by `lockCaller`, `ensureUser` or `resolveFan`. An erasure changes the subject: it waits for
 * this until the unit of work has ended, and then erases the new data as well. A unit of work that begins
 * later waits for the erasure, and finds the fan erased.
 */
const lockRecord = preparedRow((tx: Transaction, userId: string) => locksShared(tx, userOf(tx, userId)))

/** As `lockRecord`, by the subject. Finds nothing if the fan is erased, and another one if the fan was merged. */
async function lockNamed(tx: Transaction, { provider, subject }: Subject) {
  const found = await lockSubject(tx, provider, subject)
  return found?.mergedIntoId ? lockRecord(tx, found.mergedIntoId) : found
}

const lockSubject = preparedRow((tx: Transaction, provider: string, subject: string) =>
  locksShared(tx, recordNamed(tx, provider, subject)),
)

const lockErasure = prepared((tx: Transaction, userId: string) => {
  const { users } = tx.tables
  const { id, erasedAt, mergedIntoId, hiddenAt, suspendedUntil } = users
  const found = tx.select({ id, erasedAt, mergedIntoId, hiddenAt, suspendedUntil }).from(users)
  return locksShared(tx, found.where(eq(id, userId)))
})

interface LockedFan {
  /** Id of the fan, or of the fan into which the fan was merged. */
  id: string
  state: 'active' | 'erased'
}

/** As `lockCaller` for each of these ids; those without a record are left out. */
export async function lockFans(tx: Transaction, userIds: string[]): Promise<Map<string, LockedFan>> {
  const rows = userIds.length === 0 ? [] : await lockErasures(tx, toList(userIds))
  const merged = rows.flatMap(({ mergedIntoId }) => mergedIntoId ?? [])
  if (merged.length > 0) await lockErasures(tx, toList(merged))
  return new Map(
    rows.map(row => [
      row.id,
      { id: row.mergedIntoId ?? row.id, state: isErased(row) ? 'erased' : 'active' } as const,
    ]),
  )
}

const lockErasures = prepared((tx: Transaction, userIds: string) => {
  const { users } = tx.tables
  const { id, erasedAt, mergedIntoId } = users
  const found = tx.select({ id, erasedAt, mergedIntoId }).from(users)
  return locksShared(tx, found.where(isListed(tx, users.id, userIds)))
})

/** Locks the record of another fan as `lockCaller` does. Undefined if there is none, or if the fan is erased or merged. */
export async function lockFan(tx: Transaction, userId: string) {
  const [locked] = await lockErasure(tx, userId)
  return locked && !isErased(locked) && !locked.mergedIntoId ? locked : undefined
}

/**
 * Locks both records of a merge, always in the same order, and waits for units of work that have locked one
 * of them with `lockCaller`.
 */
export const lockForMerge = prepared((tx: Transaction, userIds: string) => {
  const { users } = tx.tables
  const found = tx
    .select()
    .from(users)
    .where(isListed(tx, users.id, userIds))
    .orderBy(asc(users.id))
  return locksExclusively(tx, found)
})

/** Waits for other units of work of the fan that have called it, so that later counts are exact. */
export const lockToCount = preparedRow((tx: Transaction, userId: string) => {
  const { users } = tx.tables
  return locksForUpdate(tx, tx.select({ id: users.id }).from(users).where(eq(users.id, userId)))
})

/** The country of the profile. In a unit of work it stays what it is until the end. */
export async function readCountry(reader: Reader, userId: string): Promise<string | null> {
  const { users } = reader.tables
  const own = reader.select({ country: users.country }).from(users).where(eq(users.id, userId))
  const [found] = await locksInUnitOfWork(reader, own)
  return found?.country ?? null
}

/** Locks the record of the fan with this handle as `lockCaller` does. An erased fan has none. */
export const lockHandle = preparedRow((tx: Transaction, handle: string) => {
  const { users } = tx.tables
  const { id, hiddenAt, suspendedUntil } = users
  return locksShared(
    tx,
    tx.select({ id, hiddenAt, suspendedUntil }).from(users).where(eq(users.handle, handle)),
  )
})

/** Notes that the fan has blocked another one, or was blocked. The caller has locked the record. */
export async function noteBlock(tx: Transaction, userId: string): Promise<void> {
  const { users } = tx.tables
  const [noted] = await tx
    .update(users)
    .set({ hasBlocks: true })
    .where(and(eq(users.id, userId), isNull(users.hasBlocks)))
    .returning({ provider: users.provider, subject: users.subject })
  if (noted) tx.invalidate(tokenValidityTag(noted))
}

/** Locks the records of these subjects as `lockCaller` does. Their ids, by subject; those without a record are left out. */
export async function lockSubjects(
  tx: Transaction,
  provider: string,
  subjects: string[],
): Promise<Map<string, string>> {
  const rows = subjects.length === 0 ? [] : await lockListed(tx, provider, toList(subjects))
  const merged = rows.flatMap(({ mergedIntoId }) => mergedIntoId ?? [])
  if (merged.length > 0) await lockErasures(tx, toList(merged))
  return new Map(rows.map(({ subject, id, mergedIntoId }) => [subject, mergedIntoId ?? id]))
}

const lockListed = prepared((tx: Transaction, provider: string, subjects: string) => {
  const { users } = tx.tables
  const { id, subject, mergedIntoId } = users
  const found = tx.select({ id, subject, mergedIntoId }).from(users)
  return locksShared(
    tx,
    found.where(and(eq(users.provider, provider), isListed(tx, users.subject, subjects))),
  )
})

/**
 * The first statement of each unit of work of a caller: locks the record, or creates it. If the unit of work
 * is refused, a new record is rolled back.
 * @throws DomainError `invalid_token` (the fan was erased after the request was authenticated)
 */
export async function lockCaller(
  tx: Transaction,
  { provider, subject, userId }: Subject & Viewer,
): Promise<LockedCaller> {
  if (userId === NOBODY) {
    const { user, created } = await ensureUser(tx, { provider, subject })
    return { provider, subject, userId: user.id, isNew: created, suspendedUntil: user.suspendedUntil }
  }
  const [locked] = await lockErasure(tx, userId)
  if (!locked || isErased(locked)) throw deletedUser(ERASED, userId)
  if (locked.mergedIntoId) throw mergedUser(userId)
  return { provider, subject, userId, isNew: false, suspendedUntil: locked.suspendedUntil }
}

export interface LockedCaller extends Caller {
  suspendedUntil: Date | null
}

const insertUser = prepared(
  (tx: Transaction, { now, ...user }: { id: string; provider: string; subject: string; now: Date }) =>
    tx
      .insert(tx.tables.users)
      .values({ ...user, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning(),
)

/** Writes the members that `change` has. Returns the record; undefined if there is none, or if the fan is erased. */
export async function updateUser(
  tx: Transaction,
  userId: string,
  change: ProfileChange,
): Promise<User | undefined> {
  const named = { ...change, ...nameKeyChange(change) }
  const [updated] = await updateActive(tx, { ...named, id: userId, updatedAt: tx.now() })
  return updated
}

const updateActive = prepared((tx: Transaction, { id, ...change }: Partial<User> & { id: string }) => {
  const { users } = tx.tables
  return tx
    .update(users)
    .set(change)
    .where(and(eq(users.id, id), isNull(users.erasedAt)))
    .returning()
})

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
  const { userId } = await lockCaller(tx, caller)
  const isOlder = or(isNull(users.sessionsEndedAt), lt(users.sessionsEndedAt, until))
  const ended = await tx
    .update(users)
    .set({ sessionsEndedAt: until })
    .where(and(or(eq(users.id, userId), eq(users.mergedIntoId, userId)), isOlder))
    .returning({ provider: users.provider, subject: users.subject })
  for (const signIn of [caller, ...ended]) tx.invalidate(tokenValidityTag(signIn))
}

/** Query for the record of a fan who is not erased. */
export function activeUser(reader: Reader, userId: string) {
  const { users } = reader.tables
  return reader
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.erasedAt)))
}

/** Query for the record of a fan, also if the fan is erased. */
export function userOf(reader: Reader, id: string) {
  const { users } = reader.tables
  return reader.select().from(users).where(eq(users.id, id))
}

export const findUserById = preparedRow(userOf)
