/** Reads the events of fans from a position on, in the order of their sequences. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { type RecordedEvent, toRecordedEvent } from './event.ts'
import { unfold } from './folded.ts'
import { lastSequence } from './sequences.ts'

/** A shorter page is the last one; a page with folded events can be longer. */
export const EVENTS_PER_PAGE = 50

export async function readEventsAfter(
  reader: Reader,
  position: { userId: string; sequence: number },
): Promise<RecordedEvent[]> {
  const rows = await unfold(reader, await selectAfter(reader, position))
  return rows
    .filter(({ sequence }) => (sequence ?? 0) > position.sequence)
    .flatMap(row => toRecordedEvent(row) ?? [])
}

const selectAfter = prepared((reader: Reader, { userId, sequence }: { userId: string; sequence: number }) => {
  const { events } = reader.tables
  return reader
    .select()
    .from(events)
    .where(
      and(
        eq(events.userId, userId),
        // From the row on that the position may be folded into.
        sql`${events.sequence} >= coalesce((select max(${events.sequence}) from ${events}
          where ${events.userId} = ${userId} and ${events.sequence} <= ${sequence}), 0)`,
        sql`${lastSequence(events)} > ${sequence}`,
      ),
    )
    .orderBy(asc(events.sequence))
    .limit(EVENTS_PER_PAGE)
})
