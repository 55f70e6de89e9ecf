/** SQL for the numbers of packs of a fan, as parts of a larger statement. */
import { and, count, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** Revoked packs are not counted. */
export function packCounts(reader: Reader, userId: string) {
  const { userPacks } = reader.tables
  const counted = (state: SQL) => {
    const packs = reader
      .select({ count: count() })
      .from(userPacks)
      .where(and(eq(userPacks.userId, userId), isNull(userPacks.revokedAt), state))
    return sql<number>`${packs}`.mapWith(Number)
  }
  return { sealed: counted(isNull(userPacks.openedAt)), opened: counted(isNotNull(userPacks.openedAt)) }
}
