/** Fans who predict, and have not predicted a match. */
import { asc, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

/** Fans after an id, by id, who have predicted any match but this one. Some may be erased or merged. */
export const selectUnpredicted = prepared((reader: Reader, matchId: string, after: string, limit: number) => {
  const { predictions } = reader.tables
  const isPredicted = sql`exists (select 1 from ${predictions} own
      where own.match_id = ${matchId} and own.user_id = ${predictions.userId})`
  return reader
    .selectDistinct({ userId: predictions.userId })
    .from(predictions)
    .where(sql`${predictions.userId} > ${after} and not ${isPredicted}`)
    .orderBy(asc(predictions.userId))
    .limit(limit)
})
