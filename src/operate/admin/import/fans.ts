/**
 * Imports fans of another system, many in one unit of work. What an earlier run wrote is not written again, so an
 * interrupted import can be repeated. A profile is written only if the fan has never written one here. Points become one
 * ledger entry, which counts on the global board and on no weekly or monthly one.
 */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../../db/index.ts'
import { commandLine } from '../../../core/command-line.ts'
import { canBook, lockAccounts, readAccounts } from '../../../economy/points/account.ts'
import { copyScores } from '../../../economy/points/groups.ts'
import { joinLeaderboards } from '../../../economy/points/join-leaderboard.ts'
import { openLedgers, type PointsChange } from '../../../economy/points/ledger.ts'
import { changeProfiles } from '../../../fan/profile/profile.ts'
import { recordCompletions } from '../../../identity/users/completion.ts'
import { ensureUsers } from '../../../identity/users/many-users.ts'
import { PROFILE_FIELDS, type ProfileChange } from '../../../identity/users/profile-fields.ts'
import { erasedSubject, type User } from '../../../identity/users/users.ts'

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

/**
 * Writes what is missing for each fan, and returns the plans, as `planFans`. Writes nothing for a fan with faults. The number of
 * statements does not depend on that of the fans.
 */
export async function importFans(tx: Transaction, fans: ImportedFan[]): Promise<FanPlan[]> {
  const plans = await planFans(tx, fans)
  const planned = fans.flatMap((fan, index) => {
    const plan = plans[index]
    return plan && plan.faults.length === 0 && isDue(plan) ? { fan, plan } : []
  })
  const subjects = planned.map(({ fan }) => fan.subject)
  const users = await ensureUsers(tx, fans[0]?.provider ?? '', subjects)
  const due = planned.flatMap(({ fan, plan }) => {
    const userId = users.get(fan.subject)
    return userId === undefined ? [] : { userId, fan, plan }
  })
  if (due.length < planned.length) throw new Error('a user record disappeared while it was created')
  const idsOf = (isOne: (plan: FanPlan) => boolean) =>
    due.flatMap(({ userId, plan }) => (isOne(plan) ? userId : []))
  await lockAccounts(
    tx,
    idsOf(({ points, enrolment }) => points > 0 || enrolment),
  )
  const profiles = due.filter(({ plan }) => plan.profile)
  await changeProfiles(tx, new Map(profiles.map(({ userId, fan }) => [userId, fan.profile])))
  await bookBalances(
    tx,
    due.filter(({ plan }) => plan.points > 0).map(({ userId, plan }) => ({ userId, delta: plan.points })),
  )
  await recordCompletions(
    tx,
    due.flatMap(({ userId, plan, fan: { onboardingCompletedAt: completedAt } }) =>
      plan.completion && completedAt ? { userId, completedAt } : [],
    ),
  )
  await joinLeaderboards(
    tx,
    idsOf(({ enrolment }) => enrolment),
  )
  await copyScores(
    tx,
    idsOf(({ profile, enrolment }) => profile || enrolment),
  )
  return plans
}

async function bookBalances(tx: Transaction, balances: { userId: string; delta: number }[]): Promise<void> {
  if (balances.length === 0) return
  const changes = balances.map(balance => ({ ...OPENING_CAUSE, ...balance }))
  const ids = changes.map(({ userId }) => userId)
  const ledgers = await openLedgers(tx, ids, changes)
  for (const change of changes) ledgers.append(change)
  await ledgers.write()
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
