/** Reads the events of fans from a position on, in the order of their sequences. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { listed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { type RecordedEvent, toRecordedEvent } from './event.ts'

/** A shorter page is the last one. */
export const EVENTS_PER_PAGE = 50

export async function readEventsAfter(
  reader: Reader,
  position: { userId: string; sequence: number },
): Promise<RecordedEvent[]> {
  return (await selectAfter(reader, position)).flatMap(row => toRecordedEvent(row) ?? [])
}

const selectAfter = prepared((reader: Reader, { userId, sequence }: { userId: string; sequence: number }) => {
  const { events } = reader.tables
  return reader
    .select()
    .from(events)
    .where(and(eq(events.userId, userId), gt(events.sequence, sequence)))
    .orderBy(asc(events.sequence))
    .limit(EVENTS_PER_PAGE)
})

/** The newest sequence of each fan, 0 without events: one statement for any number of fans. */
export async function readNewestSequences(reader: Reader, userIds: string[]): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await selectNewest(reader, toList(userIds))
  return new Map(rows.map(({ userId, sequence }) => [userId, sequence]))
}

const selectNewest = prepared((reader: Reader, userIds: string) => {
  const { events } = reader.tables
  // A look-up in the index for each fan: a GROUP BY would read all of their events.
  const newest = sql`select max(${events.sequence}) from ${events} where ${events.userId} = fan.value`
  return reader
    .select({
      userId: sql<string>`fan.value`,
      sequence: sql<number>`coalesce((${newest}), 0)`.mapWith(Number),
    })
    .from(sql`${listed(reader, userIds)} as fan`)
})
