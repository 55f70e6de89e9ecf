/** Fans who predict, and have not predicted a match. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

/**
 * The fans after an id, by id, who have predicted any match, and whether they have predicted this one. Some may be erased or merged.
 * Each fan is one look-up in an index: a list of their distinct ids would read all predictions of all seasons.
 */
export const selectPredictors = prepared((reader: Reader, matchId: string, after: string, limit: number) => {
  const { predictions } = reader.tables
  const { userId } = predictions
  const next = (isAfter: SQL) =>
    sql`(select ${userId} from ${predictions} where ${isAfter} order by ${userId} limit 1)`
  const fans = reader.$with('fans', { userId }).as(
    sql`with recursive found (user_id, nth) as (
          select ${next(gt(userId, after))}, 1
          union all
          select ${next(sql`${userId} > found.user_id`)}, found.nth + 1 from found
          where found.user_id is not null and found.nth < ${limit}
        ) select user_id from found where user_id is not null`,
  )
  // A scalar: PostgreSQL could answer `exists` by reading all predictions of the match.
  const isOwn = and(eq(predictions.matchId, matchId), eq(userId, fans.userId))
  const isPredicted = sql`(select 1 from ${predictions} where ${isOwn} limit 1) is not null`
  return reader
    .with(fans)
    .select({ userId: fans.userId, isPredicted: isPredicted.mapWith(Boolean) })
    .from(fans)
    .orderBy(asc(fans.userId))
})
