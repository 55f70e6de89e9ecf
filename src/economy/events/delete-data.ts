/** Deletes the data of events and the notes of voids. Their rows stay: an event is not counted again, and has its sequence. */
import { and, eq, isNotNull, lt, or, sql } from 'drizzle-orm'
import { inBatches } from '../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'

/** What waits to be distributed is not distributed any more. */
const nothingIn = ({ position }: Tables['events']) => {
  return { data: null, voidNote: null, position: sql`nullif(${position}, 0)` }
}

/** Of events recorded longer ago than the retention period, in batches. Returns their number. */
export function sweepEventData(db: Pick<Database, 'write'>, retentionMs: number): Promise<number> {
  return inBatches(db, async (tx, size) => {
    const { events } = tx.tables
    const until = new Date(tx.now().getTime() - retentionMs)
    const old = tx
      .select({ source: events.source, eventId: events.eventId })
      .from(events)
      .where(and(lt(events.recordedAt, until), isNotNull(events.data)))
      .limit(size)
    const swept = await tx
      .update(events)
      .set(nothingIn(events))
      .where(sql`(${events.source}, ${events.eventId}) in ${old}`)
      .returning({ eventId: events.eventId })
    return swept.length
  })
}

/** For the erasure of a fan. Also of voids that came before their event. */
export async function deleteEventData(tx: Transaction, userId: string): Promise<void> {
  const { events } = tx.tables
  for (const column of [events.userId, events.voidedFor])
    await tx
      .update(events)
      .set(nothingIn(events))
      .where(and(eq(column, userId), isNotNull(events.data)))
}

/** How many events of a fan have data, with the voids that came before their event. */
export function countEventData(reader: Reader, userId: string): Promise<number> {
  const { events } = reader.tables
  const isTheirs = or(eq(events.userId, userId), eq(events.voidedFor, userId))
  return countRows(reader, events, and(isTheirs, isNotNull(events.data)))
}
