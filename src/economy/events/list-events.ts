/** Events for operators: the newest ones, and those of a time. */
import { and, asc, desc, eq, gte, isNotNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

export interface EventFilter {
  userId?: string | undefined
  source?: string | undefined
  type?: string | undefined
}

/** Newest first. Those whose data was deleted are left out, except for one fan. */
export async function listNewestEvents(reader: Reader, filter: EventFilter, limit: number) {
  const { events } = reader.tables
  const order = filter.userId === undefined ? [events.recordedAt, events.userId] : []
  return reader
    .select()
    .from(events)
    .where(matches(reader, filter))
    .orderBy(...[...order, events.sequence].map(column => desc(column)))
    .limit(limit)
}

/** Oldest first, from a time on. */
export async function listEventsSince(reader: Reader, filter: EventFilter, since: Date) {
  const { events } = reader.tables
  return reader
    .select()
    .from(events)
    .where(and(matches(reader, filter), gte(events.recordedAt, since)))
    .orderBy(asc(events.recordedAt), asc(events.userId), asc(events.sequence))
}

/** The index by time holds only events with data. */
function matches({ tables: { events } }: Reader, { userId, source, type }: EventFilter) {
  return and(
    userId === undefined ? isNotNull(events.data) : eq(events.userId, userId),
    isNotNull(events.userId),
    source === undefined ? undefined : eq(events.source, source),
    type === undefined ? undefined : eq(events.type, type),
  )
}
