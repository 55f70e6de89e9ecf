/** How fans appear to one another: their own name and picture, or else the provider's. */
import { eq, inArray, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'

export interface Face {
  displayName: string | null
  avatarUrl: string | null
}

interface Mirrored {
  name: string | null
  picture: string | null
}

/** What a fan wrote comes before what the provider says. */
export function faceOf(own: Face, mirror: Mirrored | null | undefined): Face {
  return {
    displayName: own.displayName ?? mirror?.name ?? null,
    avatarUrl: own.avatarUrl ?? mirror?.picture ?? null,
  }
}

/** The same in SQL, for a statement that reads `users` and `identities`. */
export function faceColumns({ tables: { users, identities } }: Pick<Reader, 'tables'>) {
  return {
    displayName: sql<string | null>`coalesce(${users.displayName}, ${identities.name})`,
    avatarUrl: sql<string | null>`coalesce(${users.avatarUrl}, ${identities.picture})`,
  }
}

/** The faces of some fans, by user id. */
export async function readFaces(reader: Reader, userIds: string[]): Promise<Map<string, Face>> {
  if (userIds.length === 0) return new Map()
  const { users, identities } = reader.tables
  const rows = await reader
    .select({ userId: users.id, ...faceColumns(reader) })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(inArray(users.id, userIds))
  return new Map(rows.map(({ userId, ...face }) => [userId, face]))
}
