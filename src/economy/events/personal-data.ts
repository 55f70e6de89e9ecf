/** Exports what is stored about a fan's events. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachPage } from '../../../db/keyset.ts'
import { decisionsOf, parseJson } from './event.ts'
import { unfold } from './folded.ts'

/** In the order of their sequence. `data` is null once it was deleted; without a digest, which only recognises repeats, and the position. */
export async function* exportEvents(reader: Reader, userId: string) {
  const { events } = reader.tables
  const pages = eachPage({ sequence: events.sequence }, after =>
    reader
      .select()
      .from(events)
      .where(and(eq(events.userId, userId), after)),
  )
  for await (const page of pages)
    for (const row of await unfold(reader, page)) {
      const {
        eventId: id,
        source,
        sequence,
        type,
        occurredAt,
        recordedAt,
        revision,
        voidedAt,
        voidNote,
      } = row
      const told = { source, sequence, type, occurredAt, recordedAt, revision, decisions: decisionsOf(row) }
      yield { ...told, voidedAt, voidNote, id, data: parseJson(row.data), taken: parseJson(row.taken) }
    }
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
