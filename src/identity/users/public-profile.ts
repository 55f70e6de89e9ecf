/** The public profile of a fan: the name and picture that the fan chose, or else the provider's. */
import { type Column, eq, inArray, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
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
