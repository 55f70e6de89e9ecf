/** Reads distributed events, of fans and of matches, by their positions. */
import { and, asc, gt, lte, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { type SentEvent, toRecordedEvent } from './event.ts'
import { readMatchEventsBetween } from './match-events.ts'

export interface PositionedEvent {
  position: number
  recordedAt: Date
  /** Null if its data was deleted: after the retention period, or because the fan was erased. */
  event: SentEvent | null
}

/** The next events after a position, in the order of positions. */
export async function readEventsFrom(
  reader: Reader,
  after: number,
  limit: number,
): Promise<PositionedEvent[]> {
  // Before the two statements: what is distributed between them must not be in one of them alone.
  const newest = await readNewestPosition(reader)
  if (newest <= after) return []
  const matches = await readMatchEventsBetween(reader, after, newest, limit)
  const rows = await selectBetween(reader, after, newest, limit)
  const ofFans = rows.map((row): PositionedEvent => {
    // Guarantee of the default: the condition of the statement.
    const position = row.position ?? 0
    return { position, recordedAt: row.recordedAt, event: row.data === null ? null : toRecordedEvent(row) }
  })
  return [...ofFans, ...matches].toSorted((a, b) => a.position - b.position).slice(0, limit)
}

const selectBetween = prepared((reader: Reader, after: number, upTo: number, limit: number) => {
  const { events } = reader.tables
  // A literal: a parameter alone would not match the partial index.
  return reader
    .select()
    .from(events)
    .where(and(sql`${events.position} > 0`, gt(events.position, after), lte(events.position, upTo)))
    .orderBy(asc(events.position))
    .limit(limit)
})

/** 0 if no event was distributed yet. */
export async function readNewestPosition(reader: Reader): Promise<number> {
  const { lastPosition } = reader.tables.eventDistribution
  const [newest] = await reader.select({ lastPosition }).from(reader.tables.eventDistribution)
  return newest?.lastPosition ?? 0
}
