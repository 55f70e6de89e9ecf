/** Profiles: the fan's own values and the mirror of the provider's data. */
import { and, eq, isNull } from 'drizzle-orm'
import { isUniqueViolation, type Reader, type Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { fanTag } from '../cache/tags.ts'
import type { Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'
import { balanceOf } from '../points/history.ts'
import { requireTeam } from '../teams/teams.ts'
import { type Mirror, presentIdentity } from '../users/mirror.ts'
import { publicProfileOf } from '../users/public-profile.ts'
import { ensureUser, findUser, type User } from '../users/users.ts'
import { normalizeProfile, type ProfileChange } from './rules.ts'

export async function readProfile(reader: Reader, { userId }: Pick<Caller, 'userId'>) {
  const [row] = userId === undefined ? [] : await selectProfile(reader, userId)
  if (!row) throw notFound()
  return presentProfile(row)
}
readProfile.problems = ['profile_not_found'] as const

/** Writes the profile. Creates the user record if there is none. */
export async function upsertProfile(tx: Transaction, caller: Caller, change: ProfileChange) {
  const { user, created } = await ensureUser(tx, caller)
  await changeProfile(tx, user.id, change)
  return { created, profile: await readProfile(tx, { userId: user.id }) }
}

export async function updateProfile(tx: Transaction, caller: Caller, change: ProfileChange) {
  const user = await findUser(tx, caller)
  if (!user) throw notFound()
  await changeProfile(tx, user.id, change)
  return readProfile(tx, { userId: user.id })
}

/** `at`: JSON Pointer of the profile in the request. @throws DomainError `validation_failed` and its problems */
export async function changeProfile(
  tx: Transaction,
  userId: string,
  change: ProfileChange,
  at = '',
): Promise<void> {
  const normal = normalizeProfile(change, at)
  if (Object.keys(normal).length === 0) return
  if (typeof normal.favoriteTeamId === 'string')
    await requireTeam(tx, normal.favoriteTeamId, `${at}/favoriteTeamId`)
  try {
    const [changed] = await updateUser(tx, { ...normal, id: userId, now: tx.now() })
    if (!changed) throw new DomainError('profile_not_found')
    tx.invalidate(fanTag(userId))
  } catch (error) {
    if (isUniqueViolation(error, 'users_handle_unique')) throw new DomainError('handle_taken')
    throw error
  }
}
changeProfile.problems = ['handle_taken', ...requireTeam.problems] as const
upsertProfile.problems = changeProfile.problems
updateProfile.problems = [...readProfile.problems, ...changeProfile.problems] as const

/** Writes only the members that `change` has. */
const updateUser = prepared(
  (tx: Transaction, { id, now, ...change }: ProfileChange & { id: string; now: Date }) => {
    const { users } = tx.tables
    return (
      tx
        .update(users)
        .set({ ...change, updatedAt: now })
        // A fan who is erased meanwhile stays so.
        .where(and(eq(users.id, id), isNull(users.erasedAt)))
        .returning({ id: users.id })
    )
  },
)

const notFound = () =>
  new DomainError('profile_not_found', { detail: 'Create it with POST /api/user/profile, or onboard.' })

interface ProfileRow {
  user: User
  mirror: Mirror | null
  completedAt: Date | null
  points: number
}

const selectProfile = prepared((reader: Reader, userId: string) => {
  const { users, identities, onboardings } = reader.tables
  return reader
    .select({
      user: users,
      mirror: identities,
      completedAt: onboardings.completedAt,
      points: balanceOf(reader, userId),
    })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .leftJoin(onboardings, eq(onboardings.userId, users.id))
    .where(and(eq(users.id, userId), isNull(users.erasedAt)))
})

function presentProfile({ user, mirror, completedAt, points }: ProfileRow) {
  return {
    id: user.id,
    ...publicProfileOf(user, mirror),
    handle: user.handle,
    bio: user.bio,
    country: user.country,
    locale: user.locale,
    favoriteTeamId: user.favoriteTeamId,
    identity: presentIdentity(user, mirror),
    points,
    onboarding: {
      state: completedAt ? ('completed' as const) : ('not_started' as const),
      completedAt: completedAt?.toISOString() ?? null,
    },
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  }
}
