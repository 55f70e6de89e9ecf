/** Events for operators: the newest ones, and those of a time. */
import { and, asc, desc, eq, gte, isNotNull, lt, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { EventRow } from './event.ts'
import { FOLDED, unfold } from './folded.ts'
import { APPLICATION } from './types.ts'

export interface EventFilter {
  userId?: string | undefined
  source?: string | undefined
  type?: string | undefined
}

/** Newest first. Those whose data was deleted are left out, except for one fan. */
export async function listNewestEvents(reader: Reader, filter: EventFilter, limit: number) {
  const { events } = reader.tables
  const order = filter.userId === undefined ? [events.recordedAt, events.userId] : []
  const rows = await reader
    .select()
    .from(events)
    .where(matches(reader, filter))
    .orderBy(...[...order, events.sequence].map(column => desc(column)))
    .limit(limit)
  return (await unfold(reader, rows.toReversed())).toReversed().filter(isOf(filter)).slice(0, limit)
}

/** Oldest first, from a time on. */
export async function listEventsSince(reader: Reader, filter: EventFilter, since: Date) {
  const { events } = reader.tables
  const rows = await reader
    .select()
    .from(events)
    .where(and(matches(reader, filter), gte(events.recordedAt, since)))
    .orderBy(asc(events.recordedAt), asc(events.userId), asc(events.sequence))
  return (await unfold(reader, rows)).filter(isOf(filter))
}

const isOf =
  ({ source, type }: EventFilter) =>
  (row: EventRow) =>
    (source ?? row.source) === row.source && (type ?? row.type) === row.type

/** The index by time holds only events with data. */
function matches({ tables: { events } }: Reader, { userId, source, type }: EventFilter) {
  const foldsIf = (mayFold: boolean) => (mayFold ? isNotNull(events.entryCount) : undefined)
  return and(
    userId === undefined ? isNotNull(events.data) : eq(events.userId, userId),
    isNotNull(events.userId),
    source === undefined ? undefined : or(eq(events.source, source), foldsIf(source === APPLICATION)),
    type === undefined ? undefined : or(eq(events.type, type), foldsIf(type === FOLDED)),
  )
}

/** The fans of the events that were recorded in a span of time and have data, in any order. */
export async function listFansOfEvents(reader: Reader, from: Date, until: Date): Promise<string[]> {
  const { events } = reader.tables
  const { userId, data, recordedAt } = events
  const rows = await reader
    .selectDistinct({ userId })
    .from(events)
    // The condition of the index `events_recorded`, in the same form.
    .where(and(isNotNull(data), gte(recordedAt, from), lt(recordedAt, until)))
  return rows.flatMap(({ userId }) => userId ?? [])
}
