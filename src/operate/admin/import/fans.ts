/**
 * Imports fans of another system, each in one unit of work. What an earlier run wrote is not written again, so an
 * interrupted import can be repeated. A profile is written only if the fan has never written one here. Points become one
 * ledger entry, which counts on the global board and on no weekly or monthly one.
 */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../../db/index.ts'
import { commandLine } from '../../../core/command-line.ts'
import { canBook, readAccounts } from '../../../economy/points/account.ts'
import { joinLeaderboard } from '../../../economy/points/join-leaderboard.ts'
import { appendEntry, type PointsChange } from '../../../economy/points/ledger.ts'
import { changeProfile } from '../../../fan/profile/profile.ts'
import { recordCompletion } from '../../../identity/users/completion.ts'
import { PROFILE_FIELDS, type ProfileChange } from '../../../identity/users/profile-fields.ts'
import { ensureUser, erasedSubject, type User } from '../../../identity/users/users.ts'

/** A fan whose members satisfy every rule that needs no database. */
export interface ImportedFan {
  provider: string
  subject: string
  /** In normal form, without members that are null. */
  profile: ProfileChange
  /** Zero creates no entry. */
  openingBalance: number
  onboardingCompletedAt: Date | null
  joinLeaderboard: boolean
}

export interface FanFault {
  /** A member of the fan; empty if the fault concerns none. */
  field: string
  message: string
}

/** What an import writes for a fan, or the faults that prevent it. */
export interface FanPlan {
  faults: FanFault[]
  record: boolean
  profile: boolean
  /** Points to book. */
  points: number
  completion: boolean
  enrolment: boolean
  /** The fan already has a different profile, which is not changed. */
  keepsProfile: boolean
}

/** The cause of an opening balance, which is booked once. */
export const OPENING_CAUSE = { reason: 'opening_balance', ref: 'import' } satisfies Partial<PointsChange>

/** What is to write for each fan, in their order. Writes nothing. All fans have the same provider and distinct subjects. */
export async function planFans(reader: Reader, fans: ImportedFan[]): Promise<FanPlan[]> {
  const known = await readKnown(reader, fans)
  return fans.map(fan => planFan(fan, known))
}

export const isDue = ({ record, profile, points, completion, enrolment }: FanPlan) =>
  record || profile || points > 0 || completion || enrolment

/** Writes what is missing, and returns the plan. Writes nothing for a fan with faults. */
export async function importFan(tx: Transaction, fan: ImportedFan): Promise<FanPlan> {
  const plan = planFan(fan, await readKnown(tx, [fan]))
  if (plan.faults.length > 0 || !isDue(plan)) return plan
  const { user } = await ensureUser(tx, fan)
  const userId = user.id
  if (plan.profile) await changeProfile(tx, user.id, fan.profile)
  if (plan.points > 0) await appendEntry(tx, { ...OPENING_CAUSE, userId, delta: plan.points })
  if (plan.completion && fan.onboardingCompletedAt)
    await recordCompletion(tx, userId, fan.onboardingCompletedAt)
  if (plan.enrolment) await joinLeaderboard(tx, userId)
  return plan
}

type Known = Awaited<ReturnType<typeof readKnown>>

/** The stored data of some fans. The number of statements does not depend on the number of fans. */
async function readKnown(reader: Reader, fans: ImportedFan[]) {
  const { users, identities, teams, pointsEntries, onboardings, leaderboardEntries } = reader.tables
  const provider = fans[0]?.provider ?? ''
  const subjects = fans.flatMap(fan => [fan.subject, erasedSubject(fan)])
  const found = await reader
    .select({ user: users, deletedAt: identities.deletedAt })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(and(eq(users.provider, provider), inArray(users.subject, subjects)))
  const ids = found.map(({ user }) => user.id)
  const handles = await reader
    .select({ handle: users.handle, id: users.id })
    .from(users)
    .where(
      inArray(
        users.handle,
        fans.flatMap(({ profile }) => profile.handle ?? []),
      ),
    )
  const teamIds = fans.flatMap(({ profile }) => profile.favoriteTeamId ?? [])
  const active = await reader
    .select({ id: teams.id })
    .from(teams)
    .where(and(inArray(teams.id, teamIds), eq(teams.active, true)))
  const balances = await reader
    .select({ userId: pointsEntries.userId, delta: pointsEntries.delta })
    .from(pointsEntries)
    .where(
      and(
        inArray(pointsEntries.userId, ids),
        eq(pointsEntries.reason, OPENING_CAUSE.reason),
        eq(pointsEntries.ref, OPENING_CAUSE.ref),
      ),
    )
  const namedIn = async (table: Tables['onboardings'] | Tables['leaderboardEntries']) => {
    const rows = await reader.select({ userId: table.userId }).from(table).where(inArray(table.userId, ids))
    return new Set(rows.map(({ userId }) => userId))
  }
  return {
    /** By subject; for an erased fan by the hash of the subject. */
    users: new Map(found.map(({ user }) => [user.subject, user])),
    handles: new Map(handles.map(({ handle, id }) => [handle, id])),
    teams: new Set(active.map(({ id }) => id)),
    /** By user id, like the next four. */
    balances: new Map(balances.map(({ userId, delta }) => [userId, delta])),
    completed: await namedIn(onboardings),
    enrolled: await namedIn(leaderboardEntries),
    accounts: await readAccounts(reader, ids),
    deleted: new Set(found.flatMap(({ user, deletedAt }) => (deletedAt === null ? [] : [user.id]))),
  }
}

function planFan(fan: ImportedFan, known: Known): FanPlan {
  const user = known.users.get(fan.subject)
  const is = (set: Set<string>) => user !== undefined && set.has(user.id)
  const fields = PROFILE_FIELDS.filter(field => fan.profile[field] !== undefined)
  const same = fields.every(field => user?.[field] === fan.profile[field])
  const profile = fields.length > 0 && !same && isUnwritten(user)
  const balance = user && known.balances.get(user.id)
  const account = user && known.accounts.get(user.id)
  const points = balance === undefined ? fan.openingBalance : 0
  return {
    faults: [
      ...findIdentityFaults(fan, known, is(known.deleted)),
      ...(profile ? findProfileFaults(fan, known, user) : []),
      ...findPointsFaults(fan, balance, account !== undefined && points > 0 && !canBook(account, points)),
    ],
    record: user === undefined,
    profile,
    points,
    completion: fan.onboardingCompletedAt !== null && !is(known.completed),
    enrolment: fan.joinLeaderboard && !is(known.enrolled),
    keepsProfile: fields.length > 0 && !same && !profile,
  }
}

/** Whether the fan has never written a profile here. An emptied profile counts as written. */
const isUnwritten = (user: User | undefined) =>
  user === undefined ||
  (user.updatedAt.getTime() === user.createdAt.getTime() &&
    PROFILE_FIELDS.every(field => user[field] === null))

function findIdentityFaults(fan: ImportedFan, { users }: Known, deleted: boolean): FanFault[] {
  const fault = (message: string) => [{ field: 'subject', message }]
  if (users.has(erasedSubject(fan))) return fault('is a fan who was erased')
  return deleted ? fault('is a fan that the provider has deleted') : []
}

function findProfileFaults({ profile }: ImportedFan, { handles, teams }: Known, user?: User): FanFault[] {
  const { handle, favoriteTeamId } = profile
  const holder = handle ? handles.get(handle) : undefined
  const faults: FanFault[] = []
  if (holder !== undefined && holder !== user?.id)
    faults.push({ field: 'handle', message: 'is taken by another fan' })
  if (favoriteTeamId && !teams.has(favoriteTeamId))
    faults.push({ field: 'favoriteTeamId', message: 'must be the id of an active team' })
  return faults
}

function findPointsFaults(
  { openingBalance }: ImportedFan,
  balance: number | undefined,
  isRefused: boolean,
): FanFault[] {
  const fault = (message: string) => [{ field: 'openingBalance', message }]
  if (isRefused)
    return fault(
      `cannot be booked: the points account is full, or does not match its entries (${commandLine('verify-ledger')})`,
    )
  // The message omits the amount: it is in the file that was imported first.
  return balance !== undefined && balance !== openingBalance
    ? fault('differs from the opening balance that was booked before')
    : []
}
