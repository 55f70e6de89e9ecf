/** Reads distributed events, of fans and of matches, by their positions. */
import type { Reader } from '../../../db/index.ts'
import { type SentEvent, toRecordedEvent } from './event.ts'
import { readMatchEventsBetween } from './match-events.ts'
import { outboxOf } from './outbox.ts'

const outbox = outboxOf('events')

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
  const rows = await outbox.readBetween(reader, after, newest, limit)
  const ofFans = rows.map((row): PositionedEvent => {
    const { position, recordedAt } = row
    return { position, recordedAt, event: row.data === null ? null : toRecordedEvent(row) }
  })
  return [...ofFans, ...matches].toSorted((a, b) => a.position - b.position).slice(0, limit)
}

/** 0 if no event was distributed yet. */
export async function readNewestPosition(reader: Reader): Promise<number> {
  const { lastPosition } = reader.tables.eventDistribution
  const [newest] = await reader.select({ lastPosition }).from(reader.tables.eventDistribution)
  return newest?.lastPosition ?? 0
}
