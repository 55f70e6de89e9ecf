/** Reads distributed events by their positions. */
import { and, asc, gt, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { type RecordedEvent, toRecordedEvent } from './event.ts'

export interface PositionedEvent {
  position: number
  recordedAt: Date
  /** Null if its data was deleted: after the retention period, or because the fan was erased. */
  event: RecordedEvent | null
}

/** The next events after a position, in the order of positions. */
export async function readEventsFrom(
  reader: Reader,
  after: number,
  limit: number,
): Promise<PositionedEvent[]> {
  const rows = await selectFrom(reader, after, limit)
  return rows.map(row => {
    // Guarantee of the default: the condition of the statement.
    const position = row.position ?? 0
    return { position, recordedAt: row.recordedAt, event: row.data === null ? null : toRecordedEvent(row) }
  })
}

const selectFrom = prepared((reader: Reader, after: number, limit: number) => {
  const { events } = reader.tables
  // A literal: a parameter alone would not match the partial index.
  return reader
    .select()
    .from(events)
    .where(and(sql`${events.position} > 0`, gt(events.position, after)))
    .orderBy(asc(events.position))
    .limit(limit)
})

/** 0 if no event was distributed yet. */
export async function readNewestPosition(reader: Reader): Promise<number> {
  const { lastPosition } = reader.tables.eventDistribution
  const [newest] = await reader.select({ lastPosition }).from(reader.tables.eventDistribution)
  return newest?.lastPosition ?? 0
}
