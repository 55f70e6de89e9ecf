/** Records one event of the application for each of many fans, in a number of statements that does not depend on theirs. */
import { and, eq, inArray } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Reader, Transaction } from '../../db/index.ts'
import { readVersion } from '../catalogue/versions.ts'
import { AWAITING } from './distribute.ts'
import { rowOf } from './event.ts'
import { readNewestSequences } from './follow.ts'
import { listeningAt, mayBookPoints } from './listeners.ts'
import { recordEvent } from './record-event.ts'
import { awaiting, recorded } from './signals.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from './types.ts'

interface EventOfMany<T extends ApplicationEventType> {
  userId: string
  eventId: string
  data: DataOf<T>
}

/**
 * Whether events of this type can earn points. Then `recordForMany` records one after the other, and units of work should be
 * small: each locks buckets of the rank index.
 */
export async function earnsPoints(tx: Transaction, type: ApplicationEventType): Promise<boolean> {
  await listeningAt(tx, await readVersion(tx))
  return mayBookPoints(tx, type)
}

/** As `recordEvent` for each; every fan has one of them. */
export async function recordForMany<T extends ApplicationEventType>(
  tx: Transaction,
  type: T,
  events: EventOfMany<T>[],
): Promise<void> {
  const version = await readVersion(tx)
  const { isSubscribed } = await listeningAt(tx, version)
  const position = isSubscribed(type) ? AWAITING : null
  // What listens may book points.
  const columns = { revision: version?.revision ?? null, position }
  const inBulk = mayBookPoints(tx, type) ? [] : await insertNext(tx, type, events, columns)
  if (position !== null) awaiting.announce(tx)
  const done = new Set(inBulk.map(({ userId }) => userId))
  for (const event of inBulk) recorded.announce(tx, event)
  for (const event of events) if (!done.has(event.userId)) await recordEvent(tx, { type, ...event })
}

/** Leaves out fans for whom another unit of work records an event at the same time. */
async function insertNext<T extends ApplicationEventType>(
  tx: Transaction,
  type: T,
  events: EventOfMany<T>[],
  columns: { revision: number | null; position: number | null },
) {
  const newest = await readNewestSequences(
    tx,
    events.map(({ userId }) => userId),
  )
  const at = tx.now()
  const own = events.map(event => {
    const sequence = (newest.get(event.userId) ?? 0) + 1
    return { ...event, source: APPLICATION, type, occurredAt: at, sequence, recordedAt: at }
  })
  const rows = own.map(({ sequence, recordedAt, ...event }) => {
    return { ...rowOf({ ...event, digest: null }, recordedAt), sequence, ...columns }
  })
  const written = await insertRows(tx, tx.tables.events, rows, 'skip')
  if (written === rows.length) return own
  const stored = await storedIds(
    tx,
    events.map(({ eventId }) => eventId),
  )
  return own.filter(({ eventId }) => stored.has(eventId))
}

async function storedIds(reader: Reader, eventIds: string[]): Promise<Set<string>> {
  const { events } = reader.tables
  const rows = await reader
    .select({ eventId: events.eventId })
    .from(events)
    .where(and(eq(events.source, APPLICATION), inArray(events.eventId, eventIds)))
  return new Set(rows.map(({ eventId }) => eventId))
}
