/** Compares what is stored about fans and tracked segments with the events that tell it. */
import { and, eq, inArray } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { segmentEventId } from '../../club/segments/event-id.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'
import { APPLICATION } from '../../economy/events/types.ts'

/** Needs a snapshot: an event is written together with the row. Events without a row are those of a merged or erased fan. */
export async function findWrongSegments(reader: Reader, range: Range): Promise<Finding[]> {
  const { segmentMembers, events } = reader.tables
  const rows = await reader.select().from(segmentMembers).where(inRange(segmentMembers.userId, range))
  if (rows.length === 0) return []
  const { userId, eventId, type, occurredAt } = events
  const recorded = await reader
    .select({ userId, eventId, type, occurredAt })
    .from(events)
    .where(
      and(
        eq(events.source, APPLICATION),
        inArray(type, ['segment.entered', 'segment.left']),
        inRange(userId, range),
      ),
    )
  const told = new Map(recorded.map(event => [event.eventId, event]))
  return rows.flatMap(row => {
    const what = (column: string) => `segment_members.${column} of ${row.segmentId}`
    const event = told.get(segmentEventId(row))
    const isTold = event?.type === (row.isMember ? 'segment.entered' : 'segment.left')
    const next = told.get(segmentEventId({ ...row, changes: row.changes + 1 }))
    if (!event || !isTold) return differs(row.userId, what('changes'), 'that of its last event', row.changes)
    if (next) return differs(row.userId, what('changes'), row.changes + 1, row.changes)
    return differsInTime(row.userId, what('changed_at'), event.occurredAt, row.changedAt)
  })
}
