/** Voids events of the application, each of another fan, in a number of statements that does not depend on theirs. */
import { type Column, sql } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Reader, Transaction } from '../../db/index.ts'
import { listed, toList } from '../../db/listed.ts'
import { decisionsOf, grantsOf } from './event.ts'
import { eventReaders, type VoidableEvent } from './readers.ts'
import { APPLICATION } from './types.ts'
import { EMPTY, voidEvent } from './void-event.ts'

type EventOfFan = Omit<VoidableEvent, 'source'>

/**
 * The ids of those events whose void takes something back: points that rules granted, or progress of quests. `voidForMany` voids
 * these one after the other, and units of work should be small: each locks buckets of the rank index.
 */
export async function listTaken(reader: Reader, events: EventOfFan[]): Promise<Set<string>> {
  return events.length === 0 ? new Set() : takenOf(reader, events, await readRows(reader, events))
}

/** As `voidEvent` for each. The accounts of the fans are locked. */
export async function voidForMany(tx: Transaction, events: EventOfFan[]): Promise<void> {
  if (events.length === 0) return
  const rows = await readRows(tx, events)
  const taken = await takenOf(tx, events, rows)
  const now = tx.now()
  const others = []
  for (const { eventId, voidedAt } of rows) {
    const key = { source: APPLICATION, eventId }
    if (taken.has(eventId)) await voidEvent(tx, key)
    else if (!voidedAt) others.push({ ...key, recordedAt: now, voidedAt: now, taken: '[]', data: EMPTY })
  }
  await insertRows(tx, tx.tables.events, others, { set: ['voidedAt', 'taken'] })
}

/** The state of each event. Look-ups: the planner may read all events of the application for a list of ids. */
function readRows(reader: Reader, events: EventOfFan[]) {
  const { decisions, voidedAt, source, eventId } = reader.tables.events
  const of = (column: Column) =>
    sql`(select ${column} from ${reader.tables.events} where ${source} = ${APPLICATION} and ${eventId} = given.value)`
  const ids = toList(events.map(event => event.eventId))
  return reader
    .select({
      eventId: sql<string>`given.value`,
      decisions: sql<string | null>`${of(decisions)}`,
      voidedAt: sql<unknown>`${of(voidedAt)}`,
    })
    .from(sql`${listed(reader, ids)} as given`)
}

async function takenOf(
  reader: Reader,
  events: EventOfFan[],
  rows: { eventId: string; decisions: string | null }[],
): Promise<Set<string>> {
  const granting = rows.filter(row => grantsOf(decisionsOf(row)).length > 0)
  const taken = new Set(granting.map(({ eventId }) => eventId))
  const known = events.map(event => ({ ...event, source: APPLICATION }))
  for (const eventReader of eventReaders())
    for (const eventId of (await eventReader.listTaken?.(reader, known)) ?? []) taken.add(eventId)
  return taken
}
