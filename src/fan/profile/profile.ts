/** Profiles: the fan's own values and the mirror of the provider's data. */

import { sql } from 'drizzle-orm'
import { isUniqueViolation, type Reader, type Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { listOwners, useAvatar } from '../../club/pictures/owned.ts'
import { requireTeam } from '../../club/teams/teams.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { UPLOADED } from '../../core/uploaded-url.ts'
import { hasAccounts, readShownTiers } from '../../economy/accounts/fan-tiers.ts'
import { applicationEvent, recordEvent, writeEvents } from '../../economy/events/record-event.ts'
import type { Grouped } from '../../economy/leaderboard/boards.ts'
import { copyScores } from '../../economy/points/groups.ts'
import { balanceOf } from '../../economy/points/history.ts'
import { heldOf } from '../../economy/points/holds.ts'
import { policyOf } from '../../identity/public-text/policy.ts'
import { requirePublicText, requireUnreservedName } from '../../identity/public-text/require-public-text.ts'
import { updateUser } from '../../identity/users/change-user.ts'
import { completionOf } from '../../identity/users/completion.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { updateUsers } from '../../identity/users/many-users.ts'
import { mirrorOf, presentIdentity } from '../../identity/users/mirror.ts'
import { isComplete, type ProfileChange, pickProfile } from '../../identity/users/profile-fields.ts'
import { publicProfileOf } from '../../identity/users/public-profile.ts'
import { activeUser, findUserById } from '../../identity/users/users.ts'
import { fanTag, tokenValidityTag } from '../../platform/cache/tags.ts'
import { profileProblems } from './problems.ts'
import { normalizeProfile } from './rules.ts'

export async function readProfile(reader: Reader, { userId }: Viewer) {
  const [row] = await selectProfile(reader, userId, reader.now())
  if (!row) throw notFound()
  const tier = row.hasAccounts ? await readShownTiers(reader, userId) : []
  return presentProfile(row, tier)
}

export async function upsertProfile(tx: Transaction, caller: Caller, change: ProfileChange) {
  await changeOwnProfile(tx, caller, change)
  // never profile_not_found: the caller has the record.
  return { created: caller.isNew, profile: await readProfile(tx, caller) }
}

export async function updateProfile(tx: Transaction, caller: Caller, change: ProfileChange) {
  if (caller.isNew) throw notFound()
  await changeOwnProfile(tx, caller, change)
  return readProfile(tx, caller)
}

/** By the fan. @throws DomainError as `changeProfile` */
export async function changeOwnProfile(
  tx: Transaction,
  { userId, isNew }: Pick<Caller, 'userId' | 'isNew'>,
  change: ProfileChange,
  pointer = '',
) {
  await requireUnreserved(tx, userId, change, pointer)
  // never profile_not_found: the caller has the record.
  await changeProfile(tx, userId, change, { pointer, isNew })
}

/** Only staff can assign reserved names. A fan who already has one keeps it. */
async function requireUnreserved(
  tx: Transaction,
  userId: string,
  { displayName, handle }: ProfileChange,
  pointer: string,
) {
  const policy = await policyOf(tx)
  const isReserved = (name: string | null | undefined) => (name ? policy.isReserved(name) : false)
  if (!isReserved(handle) && !isReserved(displayName)) return
  const current = await findUserById(tx, userId)
  if (handle !== current?.handle && isReserved(handle)) throw new DomainError(profileProblems.handle_taken)
  if (displayName && displayName.trim() !== current?.displayName)
    await requireUnreservedName(tx, `${pointer}/displayName`, displayName)
}

const PUBLIC_TEXTS = ['displayName', 'handle', 'bio'] as const

/**
 * For any writer. `pointer`: JSON Pointer of the profile in the request. `isNew`: the record is of this unit of work.
 * @throws DomainError `validation_failed` and its problems
 */
export async function changeProfile(
  tx: Transaction,
  userId: string,
  change: ProfileChange,
  { pointer = '', isNew = false } = {},
) {
  const normal = normalizeProfile(change, pointer)
  if (Object.keys(normal).length === 0) return
  await requirePublicText(tx, userId, publicTextsOf(normal, pointer))
  if (typeof normal.favoriteTeamId === 'string')
    await requireTeam(tx, normal.favoriteTeamId, `${pointer}/favoriteTeamId`)
  const isRegrouped = normal.favoriteTeamId !== undefined || normal.country !== undefined
  const left = isRegrouped && !isNew ? await lockGroups(tx, userId) : undefined
  const profile = await updateUser(tx, userId, normal).catch(throwHandleTaken)
  if (!profile) throw new DomainError(profileProblems.profile_not_found)
  if (normal.avatarUrl !== undefined) await changeAvatar(tx, userId, normal.avatarUrl, pointer)
  tx.invalidate(fanTag(userId))
  // The locale is cached with the validity of tokens.
  if (normal.locale !== undefined) tx.invalidate(tokenValidityTag(profile))
  if (isComplete(profile)) await recordProfileCompleted(tx, userId)
  if (left) await copyScores(tx, [userId], new Map([[userId, left]]))
}

/** The team and the country of a fan, which no other unit of work changes until the end. */
async function lockGroups(tx: Transaction, userId: string): Promise<Grouped | undefined> {
  await lockToCount(tx, userId)
  return findUserById(tx, userId)
}

const publicTextsOf = (change: ProfileChange, pointer: string) =>
  PUBLIC_TEXTS.map(name => ({ pointer: `${pointer}/${name}`, text: change[name] }))

function throwHandleTaken(error: unknown): never {
  if (isUniqueViolation(error, 'users_handle_unique')) throw new DomainError(profileProblems.handle_taken)
  throw error
}

/**
 * As `changeProfile` for distinct fans, whose teams exist. Every change has members, none of them null. The number of
 * statements does not depend on theirs, except for fans with pictures.
 */
export async function changeProfiles(tx: Transaction, changes: Map<string, ProfileChange>): Promise<void> {
  if (changes.size === 0) return
  const rows = [...changes].map(([id, change]) => ({ ...normalizeProfile(change, ''), id }))
  for (const row of rows) await requirePublicText(tx, row.id, publicTextsOf(row, ''))
  const profiles = await updateUsers(tx, rows).catch(throwHandleTaken)
  const shown = rows.filter(({ avatarUrl }) => avatarUrl)
  const owners = await listOwners(
    tx,
    shown.map(({ id }) => id),
  )
  for (const { id, avatarUrl = null } of shown)
    if (owners.has(id) || UPLOADED.test(avatarUrl ?? '')) await changeAvatar(tx, id, avatarUrl, '')
  for (const profile of profiles) {
    tx.invalidate(fanTag(profile.id))
    if (changes.get(profile.id)?.locale !== undefined) tx.invalidate(tokenValidityTag(profile))
  }
  const complete = profiles.filter(profile => isComplete(profile))
  await writeEvents(
    tx,
    complete.map(({ id }) => applicationEvent(tx, profileCompleted(id))),
  )
}

/** The fan's own picture is stored as a path, so that the API may move to another origin. */
async function changeAvatar(tx: Transaction, userId: string, avatarUrl: string | null, pointer: string) {
  const stored = await useAvatar(tx, userId, avatarUrl)
  if (stored === undefined)
    refuseField({ pointer: `${pointer}/avatarUrl`, message: 'must be a picture that you uploaded' })
  if (stored !== avatarUrl) await updateUser(tx, userId, { avatarUrl: stored })
}

/** Recorded once, also if the fan empties a field and fills it again. */
async function recordProfileCompleted(tx: Transaction, userId: string): Promise<void> {
  await recordEvent(tx, profileCompleted(userId))
}

const profileCompleted = (userId: string) => {
  const type = 'profile.completed' as const
  return { userId, type, data: {}, eventId: `${type}:${userId}` }
}

const notFound = () =>
  new DomainError(profileProblems.profile_not_found, {
    detail: 'Create it with POST /api/user/profile, or onboard.',
  })

const selectProfile = prepared((reader: Reader, id: string, now: Date) => {
  const user = activeUser(reader, id).as('user')
  const mirror = mirrorOf(reader, id).as('mirror')
  const completion = completionOf(reader, id).as('completion')
  const { provider, subject, createdAt } = user
  const { userId, email, emailVerified, name, picture, updatedAt, syncedAt } = mirror
  return reader
    .select({
      user: { id: user.id, provider, subject, ...pickProfile(user), createdAt, updatedAt: user.updatedAt },
      mirror: { userId, email, emailVerified, name, picture, updatedAt, syncedAt },
      completedAt: completion.completedAt,
      points: balanceOf(reader, id),
      held: heldOf(reader, id, now),
      hasAccounts: hasAccounts(reader, id),
    })
    .from(user)
    .leftJoin(mirror, sql`true`)
    .leftJoin(completion, sql`true`)
})

type ProfileRow = Awaited<ReturnType<typeof selectProfile>>[number]

function presentProfile(
  { user, mirror, completedAt, points, held }: ProfileRow,
  tier: Awaited<ReturnType<typeof readShownTiers>>,
) {
  return {
    id: user.id,
    ...pickProfile(user),
    ...publicProfileOf(user, mirror),
    identity: presentIdentity(user, mirror),
    points,
    held,
    tier,
    onboarding: {
      state: completedAt ? ('completed' as const) : ('not_started' as const),
      completedAt: completedAt?.toISOString() ?? null,
    },
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  }
}
