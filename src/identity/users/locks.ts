/**
 * Locks of user records. They are the one guard against writes for an erased fan: every unit of work that writes for a fan locks the
 * fan's record first, by `lockCaller`, `ensureUser` or `resolveFan`. An erasure changes the subject: it waits for this until the unit
 * of work has ended, and then erases the new data as well. A unit of work that begins later waits for the erasure, and finds the fan
 * erased.
 */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import {
  lockOnly,
  locksExclusively,
  locksForUpdate,
  locksInUnitOfWork,
  locksShared,
} from '../../../db/row-lock.ts'
import type { Subject } from '../../core/caller.ts'
import { isErased, recordNamed, userOf } from './users.ts'

/** What the first lock of a unit of work excludes, in addition to an erasure. */
export interface Locking {
  /** As `lockToCount`. */
  toCount?: boolean
  /** As `lockToChange`: the unit of work updates the record. */
  toChange?: boolean
}

/**
 * As `lockCaller`, by the subject. Finds nothing if the fan is erased, and another one if the fan was merged. First writes that arrive
 * at once find a record that was just created: those that change it must not all share it first, which ends in deadlocks.
 */
export async function lockNamed(
  tx: Transaction,
  { provider, subject }: Subject,
  { toCount = false, toChange = false }: Locking,
) {
  const [bySubject, byId] = toChange ? exclusively : toCount ? forUpdate : shared
  const found = await bySubject(tx, provider, subject)
  const user = found?.mergedIntoId ? await byId(tx, found.mergedIntoId) : found
  if (user && toChange) noteChanging(tx, user.id)
  else if (user && toCount) noteCounting(tx, user.id)
  return user
}

/** By subject, and by id. */
const lockedBy = (lock: typeof locksShared) =>
  [
    preparedRow((tx: Transaction, provider: string, subject: string) =>
      lock(tx, recordNamed(tx, provider, subject)),
    ),
    preparedRow((tx: Transaction, userId: string) => lock(tx, userOf(tx, userId))),
  ] as const

const shared = lockedBy(locksShared)
const forUpdate = lockedBy(locksForUpdate)
const exclusively = lockedBy(locksExclusively)

export const lockErasure = prepared((tx: Transaction, userId: string) =>
  locksShared(tx, selectErasure(tx, userId)),
)

const lockErasureToCount = prepared((tx: Transaction, userId: string) =>
  locksForUpdate(tx, selectErasure(tx, userId)),
)

const lockErasureToChange = prepared((tx: Transaction, userId: string) =>
  locksExclusively(tx, selectErasure(tx, userId)),
)

function selectErasure(tx: Transaction, userId: string) {
  const { users } = tx.tables
  const { id, erasedAt, mergedIntoId, hiddenAt, suspendedUntil, ageBand, guardianConsent, ownLimits } = users
  return tx
    .select({ id, erasedAt, mergedIntoId, hiddenAt, suspendedUntil, ageBand, guardianConsent, ownLimits })
    .from(users)
    .where(eq(id, userId))
}

/** As `lockErasure` and `lockToCount` in one statement. */
export async function lockCounting(tx: Transaction, userId: string) {
  const found = await lockErasureToCount(tx, userId)
  noteCounting(tx, userId)
  return found
}

function noteCounting(tx: Transaction, userId: string): void {
  counting.getOrInsertComputed(tx, () => new Set()).add(userId)
}

/** As `lockErasure` and `lockToChange` in one statement. */
export async function lockChanging(tx: Transaction, userId: string) {
  const found = await lockErasureToChange(tx, userId)
  noteChanging(tx, userId)
  return found
}

/** For the record of a fan that this unit of work has created or locked exclusively. */
export function noteChanging(tx: Transaction, userId: string): void {
  changing.getOrInsertComputed(tx, () => new Set()).add(userId)
}

/** The fans that a unit of work has locked to count. */
const counting = new WeakMap<Transaction, Set<string>>()

/** The fans whose records a unit of work has locked to change them. */
const changing = new WeakMap<Transaction, Set<string>>()

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
  // In the order of a merge, which waits for one record while it has the other.
  return locksShared(tx, found.where(isListed(tx, users.id, userIds)).orderBy(asc(users.id)))
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
export async function lockToCount(tx: Transaction, userId: string): Promise<void> {
  if (!counting.get(tx)?.has(userId)) await lockId(tx, userId)
}

/**
 * Called before each update of the record: `locksShared` says why. Two units of work that hold the lock of `lockCaller` and call it
 * end in a deadlock, of which one is repeated; those that do so often lock with `toChange` first.
 */
export async function lockToChange(tx: Transaction, userId: string): Promise<void> {
  if (!changing.get(tx)?.has(userId)) await lockAllToChange(tx, [userId])
}

/** As `lockToChange` for distinct fans. */
export async function lockAllToChange(tx: Transaction, userIds: string[]): Promise<void> {
  if (userIds.length > 0) await lockIdsToChange(tx, toList(userIds))
}

const lockIdsToChange = lockOnly(
  prepared((tx: Transaction, userIds: string) => locksExclusively(tx, selectIds(tx, userIds))),
)

/** In the order in which all units of work lock them. */
function selectIds(tx: Transaction, userIds: string) {
  const { users } = tx.tables
  return tx
    .select({ id: users.id })
    .from(users)
    .where(isListed(tx, users.id, userIds))
    .orderBy(asc(users.id))
}

const lockId = lockOnly(
  prepared((tx: Transaction, userId: string) => {
    const { users } = tx.tables
    return locksForUpdate(tx, tx.select({ id: users.id }).from(users).where(eq(users.id, userId)))
  }),
)

/** As `lockToCount`, for each of these fans. */
export async function lockAllToCount(tx: Transaction, userIds: string[]): Promise<void> {
  if (userIds.length > 0) await lockIds(tx, toList(userIds))
}

const lockIds = lockOnly(
  prepared((tx: Transaction, userIds: string) => locksForUpdate(tx, selectIds(tx, userIds))),
)

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
  const { id, hiddenAt, suspendedUntil, ageBand, guardianConsent } = users
  const found = tx.select({ id, hiddenAt, suspendedUntil, ageBand, guardianConsent }).from(users)
  return locksShared(tx, found.where(eq(users.handle, handle)))
})

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
    found
      .where(and(eq(users.provider, provider), isListed(tx, users.subject, subjects)))
      .orderBy(asc(users.id)),
  )
})
