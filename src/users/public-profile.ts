/** How fans appear to one another: their own name and picture, or else the provider's. */
import { eq, inArray, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'

export interface PublicProfile {
  displayName: string | null
  avatarUrl: string | null
}

interface MirroredProfile {
  name: string | null
  picture: string | null
}

/** What a fan wrote comes before what the provider says. */
export function publicProfileOf(
  own: PublicProfile,
  mirror: MirroredProfile | null | undefined,
): PublicProfile {
  return {
    displayName: own.displayName ?? mirror?.name ?? null,
    avatarUrl: own.avatarUrl ?? mirror?.picture ?? null,
  }
}

/** The same in SQL, for a statement that reads `users` and `identities`. */
export function publicProfileColumns({ tables: { users, identities } }: Pick<Reader, 'tables'>) {
  return {
    displayName: sql<string | null>`coalesce(${users.displayName}, ${identities.name})`,
    avatarUrl: sql<string | null>`coalesce(${users.avatarUrl}, ${identities.picture})`,
  }
}

/** The faces of some fans, by user id. */
export async function readPublicProfiles(
  reader: Reader,
  userIds: string[],
): Promise<Map<string, PublicProfile>> {
  if (userIds.length === 0) return new Map()
  const { users, identities } = reader.tables
  const rows = await reader
    .select({ userId: users.id, ...publicProfileColumns(reader) })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(inArray(users.id, userIds))
  return new Map(rows.map(({ userId, ...face }) => [userId, face]))
}
