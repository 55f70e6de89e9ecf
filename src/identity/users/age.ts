/**
 * The age band of a fan, and the consent of a guardian: stated by the provider or by a system of the club, in the fan's record,
 * where locks and reads find them. Without a consent that is asked for, the fan cannot write.
 */
import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { locksInUnitOfWork } from '../../../db/row-lock.ts'
import type { AgeBand } from '../../core/age-bands.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { type Age, noteAgeChange } from './age-history.ts'
import { lockToChange } from './locks.ts'
import { lockForSanction } from './sanction-state.ts'
import { findUserById, type User } from './users.ts'

/** Of an erased fan. */
export const UNKNOWN_AGE: Age & Pick<User, 'guardianAssuredAt'> = {
  ageBand: null,
  ageSource: null,
  ageAssuredAt: null,
  guardianConsent: null,
  guardianAssuredAt: null,
}

/** Whether a guardian has refused or revoked the consent that the fan needs. Adults need none. */
export const isFrozen = ({ ageBand, guardianConsent }: Pick<Age, 'ageBand' | 'guardianConsent'>): boolean =>
  guardianConsent === false && ageBand !== 'adult'

/** For operations that a frozen fan may call in part: see `guardianConsent` of `operation`. The fan is locked. */
export async function lacksGuardian(tx: Transaction, userId: string): Promise<boolean> {
  const age = await findAge(tx, userId)
  return age !== undefined && isFrozen(age)
}

/** Where they grant something. @throws DomainError `guardian_consent_required` */
export async function requireGuardian(tx: Transaction, userId: string): Promise<void> {
  if (await lacksGuardian(tx, userId)) throw new DomainError(transportProblems.guardian_consent_required)
}

/** What a system of the club has checked. */
export interface StatedAge {
  ageBand: AgeBand | null
  /** Who has checked it. */
  source: string
  assuredAt: Date
  /** Undefined: stays as it is. */
  guardianConsent?: boolean | undefined
}

/**
 * Waits for the running writes of the fan, so that no write commits after a revoked consent. A band, and a consent, that was checked
 * before the stored one changes nothing. Each has its own time: a sign-in of today does not outdate what a guardian said yesterday.
 */
export async function storeAge(tx: Transaction, userId: string, age: StatedAge): Promise<void> {
  await lockForSanction(tx, userId)
  const before = await findAge(tx, userId)
  const { users } = tx.tables
  const { ageBand, source: ageSource, assuredAt: ageAssuredAt, guardianConsent } = age
  await tx
    .update(users)
    .set({ ageBand, ageSource, ageAssuredAt })
    .where(and(eq(users.id, userId), isAtMost(users.ageAssuredAt, ageAssuredAt)))
  if (guardianConsent !== undefined)
    await tx
      .update(users)
      .set({ guardianConsent, guardianAssuredAt: ageAssuredAt })
      .where(and(eq(users.id, userId), isAtMost(users.guardianAssuredAt, ageAssuredAt)))
  await noteAgeChange(tx, userId, { before, after: await findAge(tx, userId), statedBy: ageSource })
}

type TimeOfCheck = Transaction['tables']['users']['ageAssuredAt' | 'guardianAssuredAt']

/** What is stored was not checked after this time. */
const isAtMost = (checkedAt: TimeOfCheck, assuredAt: Date) => or(isNull(checkedAt), lte(checkedAt, assuredAt))

export const presentAge = (user: Age | undefined) => ({
  // Guarantee of the cast: the constraint of the column.
  ageBand: (user?.ageBand ?? null) as AgeBand | null,
  source: user?.ageSource ?? null,
  assuredAt: user?.ageAssuredAt?.toISOString() ?? null,
  guardianConsent: user?.guardianConsent ?? null,
})

interface ClaimedAge {
  /** Null: the provider no longer states one. It ends what the provider has stated, and nothing else. */
  ageBand: AgeBand | null
  source: string
  assuredAt: Date
}

/** What the provider states of a sign-in, unless something newer is stored of the fan. */
export async function noteClaimedAge(tx: Transaction, signInId: string, claimed: ClaimedAge): Promise<void> {
  const { users } = tx.tables
  const signIn = await findUserById(tx, signInId)
  const userId = signIn?.mergedIntoId ?? signInId
  await lockToChange(tx, userId)
  const before = await findAge(tx, userId)
  const { ageBand, source: ageSource, assuredAt: ageAssuredAt } = claimed
  await tx
    .update(users)
    .set({ ageBand, ageSource, ageAssuredAt })
    .where(
      and(
        eq(users.id, userId),
        isAtMost(users.ageAssuredAt, ageAssuredAt),
        ageBand === null ? eq(users.ageSource, ageSource) : undefined,
      ),
    )
  const after = await findAge(tx, userId)
  // Each sign-in states the band: only a change of it is a row.
  if (before?.ageBand !== after?.ageBand || before?.ageSource !== after?.ageSource)
    await noteAgeChange(tx, userId, { before, after, statedBy: ageSource })
}

/** The age band of the fan. In a unit of work it stays what it is until the end. */
export async function readAgeBand(reader: Reader, userId: string): Promise<string | null> {
  const { users } = reader.tables
  const own = reader.select({ ageBand: users.ageBand }).from(users).where(eq(users.id, userId))
  const [found] = await locksInUnitOfWork(reader, own)
  return found?.ageBand ?? null
}

/** Of a merge: what was checked last, and a refusal of a guardian of either. Both records are locked. */
export async function mergeAge(tx: Transaction, from: User, into: User): Promise<void> {
  const { users } = tx.tables
  const timeOf = ({ ageAssuredAt }: User) => ageAssuredAt?.getTime() ?? -1
  const { ageBand, ageSource, ageAssuredAt } = timeOf(from) > timeOf(into) ? from : into
  const refusals = [from, into].filter(one => one.guardianConsent === false)
  const stated = refusals.length > 0 ? refusals : [from, into].filter(one => one.guardianConsent !== null)
  const timeOfConsent = (one: User) => one.guardianAssuredAt?.getTime() ?? -1
  const [last] = stated.toSorted((a, b) => timeOfConsent(b) - timeOfConsent(a))
  const { guardianConsent = null, guardianAssuredAt = null } = last ?? {}
  await tx
    .update(users)
    .set({ ageBand, ageSource, ageAssuredAt, guardianConsent, guardianAssuredAt })
    .where(eq(users.id, into.id))
  const after = { ageBand, ageSource, ageAssuredAt, guardianConsent }
  await noteAgeChange(tx, into.id, { before: into, after, statedBy: 'merge' })
}

export const findAge = preparedRow((reader: Reader, userId: string) => {
  const { users } = reader.tables
  const { ageBand, ageSource, ageAssuredAt, guardianConsent } = users
  return reader
    .select({ ageBand, ageSource, ageAssuredAt, guardianConsent })
    .from(users)
    .where(eq(users.id, userId))
})
