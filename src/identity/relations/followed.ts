/** The fans that a fan follows. */
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** Query for their ids, at most `MAX_FOLLOWED`, in any order. */
export function followedFans(reader: Reader, userId: string) {
  const { fanRelations: relations } = reader.tables
  return reader
    .select({ userId: sql<string>`${relations.otherId}`.as('user_id') })
    .from(relations)
    .where(and(eq(relations.fanId, userId), isNotNull(relations.followedAt)))
}
