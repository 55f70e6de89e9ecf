/**
 * Distributes recorded events to what sends them to other systems: a transactional outbox. An event that a subscriber asks
 * for is written with the position 0; a unit of work like this one, one at a time, gives it the next position and passes
 * it on. Nothing is distributed that was rolled back, and what was distributed is never distributed again.
 */
import { and, asc, count, eq, getTableColumns, gt, min, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { listErased } from '../../identity/users/tombstone.ts'
import { deleteEventData } from './delete-data.ts'
import { type EventRow, toRecordedEvent } from './event.ts'
import { anyMatchEventAwaits, assignMatchPositions, countAwaitingMatchEvents } from './match-events.ts'
import type { DistributedEvent } from './subscribers.ts'
import { MATCH_UPDATED } from './types.ts'

/** The position of an event that waits. */
export const AWAITING = 0
/** Events of one unit of work: few enough that no request waits long for it. */
export const BATCH = 256

/** Literal: a parameter would not match the partial index. */
const isAwaiting = ({ tables }: Pick<Reader, 'tables'>) => sql`${tables.events.position} = 0`

/** A fan was erased meanwhile: the unit of work is to be repeated. */
export class ErasedMeanwhile extends Error {}

/**
 * Distributes up to `BATCH` events of fans after `after`, fan by fan, and those of matches before the first fan. Of a fan it
 * takes the oldest ones: an event is visible only with those before it, because it commits after them. Returns the last fan;
 * null if nothing is left after it.
 * @throws ErasedMeanwhile
 */
export async function distributeEvents(tx: Transaction, after: string): Promise<string | null> {
  const [distribution] = await lockDistribution(tx)
  const before = distribution?.lastPosition ?? 0
  const ofMatches = after === '' ? await assignMatchPositions(tx, before, BATCH) : []
  const last = before + ofMatches.length
  const rows = (await assignPositions(tx, after, last)).toSorted(
    (a, b) => Number(a.position) - Number(b.position),
  )
  const newest = rows.at(-1)
  if (!newest && ofMatches.length === 0) return null
  if (newest && Number(newest.position) !== last + rows.length) throw new ErasedMeanwhile()
  const erased = await deleteDataOfErased(tx, rows)
  const ofFans = rows.flatMap((row): DistributedEvent[] => {
    const event = toRecordedEvent(row)
    // Guarantee: only the events of fans wait.
    if (!event || erased.has(event.userId)) return []
    return [{ ...event, position: Number(row.position), revision: row.revision ?? 0 }]
  })
  for (const subscriber of tx.spine.events.subscribers)
    await subscriber.distribute?.(tx, [...ofMatches, ...ofFans])
  tx.spine.events.distributed.announce(tx)
  await moveLast(tx, last + rows.length)
  if (ofMatches.length === BATCH) return ''
  return newest && rows.length === BATCH ? newest.userId : null
}

/** What was recorded after the erasure, such as the settlement of a prediction, is not sent to other systems. Returns the fans. */
async function deleteDataOfErased(tx: Transaction, rows: EventRow[]): Promise<Set<string>> {
  const erased = await listErased(tx, [...new Set(rows.flatMap(({ userId }) => userId ?? []))])
  for (const userId of erased) await deleteEventData(tx, userId)
  return erased
}

/** A row lock until the unit of work ends: positions are committed in their order. */
const lockDistribution = prepared((tx: Transaction) => {
  const { eventDistribution } = tx.tables
  const { id, lastPosition } = eventDistribution
  return tx
    .insert(eventDistribution)
    .values({ id: ID, lastPosition: 0 })
    .onConflictDoUpdate({ target: id, set: { lastPosition: sql`${lastPosition}` } })
    .returning({ lastPosition })
})

const ID = 'events'

const moveLast = prepared((tx: Transaction, lastPosition: number) => {
  const { eventDistribution } = tx.tables
  return tx.update(eventDistribution).set({ lastPosition }).where(eq(eventDistribution.id, ID))
})

const assignPositions = prepared((tx: Transaction, after: string, last: number) => {
  const { events } = tx.tables
  const { source, eventId, userId, sequence } = events
  const batch = tx
    .select({ source, eventId, userId, sequence })
    .from(events)
    .where(and(isAwaiting(tx), gt(userId, after)))
    .orderBy(asc(userId), asc(sequence))
    .limit(BATCH)
    .as('batch')
  const numbered = tx
    .select({
      source: batch.source,
      eventId: batch.eventId,
      number: sql<number>`row_number() over (order by ${batch.userId}, ${batch.sequence})`.as('number'),
    })
    .from(batch)
    .as('numbered')
  return (
    tx
      .update(events)
      .set({ position: sql`${last} + ${numbered.number}` })
      .from(numbered)
      // Once more: on PostgreSQL an update that has waited for another one sees its new values.
      .where(and(eq(source, numbered.source), eq(eventId, numbered.eventId), isAwaiting(tx)))
      .returning(getTableColumns(events))
  )
})

/** Whether any event waits: cheap enough for a poll. */
export async function anyAwaits(reader: Reader): Promise<boolean> {
  return (await selectOne(reader)).length > 0 || (await anyMatchEventAwaits(reader))
}

const selectOne = prepared((reader: Reader) =>
  reader.select({ one: sql`1` }).from(reader.tables.events).where(isAwaiting(reader)).limit(1),
)

/** Events that wait are counted up to this number, so that a long backlog does not slow the database. */
const MAX_COUNTED = 10_000

/** For metrics: how many events wait (at most 10000), and when the oldest of them was recorded; null if none does. */
export async function readAwaiting(reader: Reader): Promise<{ pending: number; since: Date | null }> {
  const { events } = reader.tables
  const waiting = reader
    .select({ recordedAt: events.recordedAt })
    .from(events)
    .where(isAwaiting(reader))
    .limit(MAX_COUNTED)
    .as('waiting')
  const [ofFans] = await reader.select({ pending: count(), since: min(waiting.recordedAt) }).from(waiting)
  const all = [await countAwaitingMatchEvents(reader), ...(ofFans ? [ofFans] : [])]
  const times = all.flatMap(({ since }) => since?.getTime() ?? [])
  return {
    pending: Math.min(
      all.reduce((sum, { pending }) => sum + pending, 0),
      MAX_COUNTED,
    ),
    since: times.length > 0 ? new Date(Math.min(...times)) : null,
  }
}

/** The events that wait, by type. */
export async function countAwaiting(reader: Reader) {
  const { events } = reader.tables
  const ofFans = await reader
    .select({ type: events.type, pending: count(), since: min(events.recordedAt) })
    .from(events)
    .where(isAwaiting(reader))
    .groupBy(events.type)
  return [...ofFans, { type: MATCH_UPDATED, ...(await countAwaitingMatchEvents(reader)) }]
}
