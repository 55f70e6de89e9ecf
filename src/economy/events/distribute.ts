/**
 * Distributes recorded events to the rooms that send them to other systems: a transactional outbox. An event
 * with a subscriber is written with the position 0. One unit of work at a time assigns the next positions and
 * passes the events on. Events that were rolled back are never distributed, and no event is distributed
 * twice.
 */
import { count, eq, min, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { listErased } from '../../identity/users/tombstone.ts'
import { deleteEventData } from './delete-data.ts'
import { type EventRow, toRecordedEvent } from './event.ts'
import { matchOutbox, takeMatchEvents } from './match-events.ts'
import { outboxOf, sumAwaiting } from './outbox.ts'
import type { DistributedEvent } from './subscribers.ts'
import { MATCH_UPDATED } from './types.ts'

/** Events of one unit of work: few enough that no request waits long for it. */
export const BATCH = 256

const outbox = outboxOf('events')

/**
 * Distributes up to `BATCH` events of fans after `after`, fan by fan, and those of matches before the first
 * fan. For each fan it takes the oldest events: when an event is visible, all earlier ones are visible too,
 * because they were committed before it. Returns the last fan; null if nothing is left after it.
 */
export async function distributeEvents(tx: Transaction, after: string): Promise<string | null> {
  const [distribution] = await lockDistribution(tx)
  const before = distribution?.lastPosition ?? 0
  const ofMatches = after === '' ? await takeMatchEvents(tx, before, BATCH) : []
  const last = before + ofMatches.length
  const rows = await outbox.takeOldest(tx, { after, last, max: BATCH })
  const newest = rows.at(-1)
  if (!newest && ofMatches.length === 0) return null
  const erased = await deleteDataOfErased(tx, rows)
  const ofFans = rows.flatMap((row): DistributedEvent[] => {
    const event = toRecordedEvent(row)
    // Guarantee: only the events of fans wait.
    if (!event || erased.has(event.userId)) return []
    return [{ ...event, position: row.position, revision: row.revision ?? 0 }]
  })
  for (const subscriber of tx.spine.events.subscribers)
    await subscriber.distribute?.(tx, [...ofMatches, ...ofFans])
  tx.spine.events.distributed.announce(tx)
  await moveLast(tx, last + rows.length)
  if (ofMatches.length === BATCH) return ''
  return newest && rows.length === BATCH ? newest.userId : null
}

/**
 * Events that were recorded after the erasure, such as the settlement of a prediction, are not sent to other
 * systems. Returns the fans.
 */
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

/** Whether any event waits: cheap enough for a poll. */
export const anyAwaits = async (reader: Reader): Promise<boolean> =>
  (await outbox.anyAwaits(reader)) || (await matchOutbox.anyAwaits(reader))

/** For metrics: how many events wait (at most 10000), and when the oldest of them was recorded; null if none does. */
export const readAwaiting = async (reader: Reader) =>
  sumAwaiting([await outbox.countAwaiting(reader), await matchOutbox.countAwaiting(reader)])

/** The events that wait, by type. */
export async function countAwaiting(reader: Reader) {
  const { events } = reader.tables
  const ofFans = await reader
    .select({ type: events.type, pending: count(), since: min(events.recordedAt) })
    .from(events)
    .where(outbox.isAwaiting(reader))
    .groupBy(events.type)
  return [...ofFans, { type: MATCH_UPDATED, ...(await matchOutbox.countAwaiting(reader)) }]
}
