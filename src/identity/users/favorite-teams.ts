/** Fans by their favourite team. */
import { type AnyColumn, and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** Whether one of the teams is the favourite of the fan of this column. */
export const hasFavoriteTeam = (
  { tables: { users } }: Pick<Reader, 'tables'>,
  userId: AnyColumn,
  teamIds: string[],
): SQL =>
  sql`exists (select 1 from ${users} where ${and(eq(users.id, userId), inArray(users.favoriteTeamId, teamIds))})`
