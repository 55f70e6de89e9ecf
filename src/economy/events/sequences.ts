/** The newest sequences of fans. */
import { type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { listed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'

/** SQL: the newest sequence of a fan, as `newest`; no row without events. One look-up in the index. */
export const newestOf = (events: Tables['events'], userId: SQL) =>
  sql`select ${lastSequence(events)} as newest from ${events} where ${events.userId} = ${userId}
    order by ${events.sequence} desc limit 1`

/** SQL: the sequence of the last event that is folded into a row, or its own. */
export const lastSequence = ({ sequence, entryCount }: Tables['events']) =>
  sql`${sequence} + coalesce(${entryCount}, 0)`

/** The newest sequence of each fan, 0 without events: one statement for any number of fans. */
export async function readNewestSequences(reader: Reader, userIds: string[]): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await selectNewest(reader, toList(userIds))
  return new Map(rows.map(({ userId, sequence }) => [userId, sequence]))
}

const selectNewest = prepared((reader: Reader, userIds: string) => {
  const { events } = reader.tables
  // A look-up in the index for each fan: a GROUP BY would read all of their events.
  const newest = newestOf(events, sql`fan.value`)
  return reader
    .select({
      userId: sql<string>`fan.value`,
      sequence: sql<number>`coalesce((${newest}), 0)`.mapWith(Number),
    })
    .from(sql`${listed(reader, userIds)} as fan`)
})
