/** Exports what is stored about a fan's events. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { decisionsOf, parseJson } from './event.ts'

/** In the order of their sequence. `data` is null once it was deleted; without a digest, which only recognises repeats, and the position. */
export async function* exportEvents(reader: Reader, userId: string) {
  const { events } = reader.tables
  const rows = eachRow({ sequence: events.sequence }, after =>
    reader
      .select()
      .from(events)
      .where(and(eq(events.userId, userId), after)),
  )
  for await (const {
    userId: _,
    digest: _d,
    position: _p,
    voidedFor: _v,
    eventId: id,
    data,
    taken,
    ...row
  } of rows)
    yield { ...row, id, data: parseJson(data), decisions: decisionsOf(row), taken: parseJson(taken) }
}

/** Voids that came before their event, which was not recorded then. */
export function exportEarlyVoids(reader: Reader, userId: string) {
  const { source, eventId, voidedAt, voidNote, voidedFor } = reader.tables.events
  return reader
    .select({ source, id: eventId, voidedAt, voidNote })
    .from(reader.tables.events)
    .where(eq(voidedFor, userId))
    .orderBy(asc(source), asc(eventId))
}
