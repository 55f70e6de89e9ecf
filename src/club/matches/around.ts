/** Matches by the time of their kick-off, and by their ids. */
import { and, asc, gt, inArray, lt } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { MatchRow } from './matches.ts'

/** Also those that are not active. By kick-off. */
export const listBetween = prepared((reader: Reader, from: Date, until: Date) => {
  const { matches } = reader.tables
  return reader
    .select()
    .from(matches)
    .where(and(gt(matches.kickoffAt, from), lt(matches.kickoffAt, until)))
    .orderBy(asc(matches.kickoffAt), asc(matches.id))
})

/** Also those that are not active. */
export async function readMatches(reader: Reader, ids: string[]): Promise<Map<string, MatchRow>> {
  const { matches } = reader.tables
  const rows = ids.length === 0 ? [] : await reader.select().from(matches).where(inArray(matches.id, ids))
  return new Map(rows.map(row => [row.id, row]))
}
