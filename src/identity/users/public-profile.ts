/** The public profile of a fan: the name and picture that the fan chose, or else the provider's. */
import { type Column, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { rowsOfListed } from '../../../db/listed.ts'
import type { Mirror } from './mirror.ts'

export interface PublicProfile {
  displayName: string | null
  avatarUrl: string | null
}

type MirroredProfile = Pick<Mirror, 'name' | 'picture'>

/** The fan's own values take precedence over the mirror. */
export function publicProfileOf(
  own: PublicProfile,
  mirror: MirroredProfile | null | undefined,
): PublicProfile {
  return {
    displayName: own.displayName ?? mirror?.name ?? null,
    avatarUrl: own.avatarUrl ?? mirror?.picture ?? null,
  }
}

interface ProfileColumns {
  user: Record<'displayName' | 'avatarUrl', Column>
  mirror: Record<'name' | 'picture', Column>
}

/** The same in SQL, for a statement that reads the user record and the mirror. */
export function publicProfileColumns({ user, mirror }: ProfileColumns) {
  return {
    displayName: sql<string | null>`coalesce(${user.displayName}, ${mirror.name})`,
    avatarUrl: sql<string | null>`coalesce(${user.avatarUrl}, ${mirror.picture})`,
  }
}

/** Query for what is public of all fans who are not erased, to be joined by `userId` or found by `handle`. */
export function publicFans(reader: Reader) {
  const { users, identities } = reader.tables
  const profile = publicProfileColumns({ user: users, mirror: identities })
  return reader
    .select({
      userId: users.id,
      handle: users.handle,
      favoriteTeamId: users.favoriteTeamId,
      displayName: profile.displayName.as('display_name'),
      avatarUrl: profile.avatarUrl.as('avatar_url'),
    })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(isNull(users.erasedAt))
}

/**
 * Like `publicFans`, for the listed fans: each is looked up, even with a plan that was made while there were
 * no fans.
 */
export function listedPublicFans(reader: Reader, list: string) {
  const { users, identities } = reader.tables
  const found = rowsOfListed(
    reader,
    users,
    list,
    id => sql`${users.id} = ${id} and ${users.erasedAt} is null`,
  )
  const profile = publicProfileColumns({ user: found, mirror: identities })
  return reader
    .with(found)
    .select({
      userId: found.id,
      handle: found.handle,
      displayName: profile.displayName.as('display_name'),
      avatarUrl: profile.avatarUrl.as('avatar_url'),
    })
    .from(found)
    .leftJoin(identities, eq(identities.userId, found.id))
}

/** The texts and pictures that a fan shows at this time. */
export async function readShownProfile(reader: Reader, userId: string) {
  const { users, identities } = reader.tables
  const profile = publicProfileColumns({ user: users, mirror: identities })
  const [shown] = await reader
    .select({ handle: users.handle, ...profile, bio: users.bio })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(eq(users.id, userId))
  return shown ?? { handle: null, displayName: null, avatarUrl: null, bio: null }
}

/**
 * Like `publicFans`, but only the handles, from one table: SQLite reads all rows of a joined query that
 * itself contains joins.
 */
export function fanHandles(reader: Reader) {
  const { users } = reader.tables
  return reader.select({ userId: users.id, handle: users.handle }).from(users).where(isNull(users.erasedAt))
}

/** The public profiles of fans, by user id. */
export async function readPublicProfiles(
  reader: Reader,
  userIds: string[],
): Promise<Map<string, PublicProfile>> {
  if (userIds.length === 0) return new Map()
  const { users, identities } = reader.tables
  const rows = await reader
    .select({ userId: users.id, ...publicProfileColumns({ user: users, mirror: identities }) })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(inArray(users.id, userIds))
  return new Map(rows.map(({ userId, ...profile }) => [userId, profile]))
}
