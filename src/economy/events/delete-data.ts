/** Deletes the data of events and the notes of voids. Their rows stay: an event is not counted again, and has its sequence. */
import { and, eq, isNotNull, isNull, lt, ne, not, notLike, or, sql } from 'drizzle-orm'
import { inBatches } from '../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { listErased } from '../../identity/users/tombstone.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { WITH_GRANT } from '../rules/decision.ts'
import { APPLICATION } from './types.ts'

/** Events that wait for distribution are no longer distributed. */
const nothingIn = ({ position }: Tables['events']) => {
  return { data: null, voidNote: null, position: sql`nullif(${position}, 0)` }
}

/** Deletes the data of events that are older than `eventRetentionDays`, in batches. Returns their number. */
export function sweepEventData(db: Pick<Database, 'write'>): Promise<number> {
  return inBatches(db, async (tx, size) => {
    const { events } = tx.tables
    const { eventRetentionDays } = await settingsOf(tx)
    const until = new Date(tx.now().getTime() - eventRetentionDays * 86_400_000)
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

/**
 * For the erasure of a fan, with the ids that other systems chose. Also of voids that came before their event. An id that the ledger or
 * a reader names stays: a void needs it to take back what the event earned, also for another fan.
 */
export async function deleteEventData(tx: Transaction, userId: string): Promise<void> {
  const { events } = tx.tables
  for (const column of [events.userId, events.voidedFor])
    await tx
      .update(events)
      .set(nothingIn(events))
      .where(and(eq(column, userId), isNotNull(events.data)))
  const isUnpaid = or(
    isNull(events.decisions),
    and(...WITH_GRANT.map(grant => notLike(events.decisions, grant))),
  )
  // An event of another system, as long as it has a digest for recognizing repeats.
  const isForeign = and(ne(events.source, APPLICATION), isNotNull(events.digest))
  const isUnnamed = tx.spine.events.readers.flatMap(({ names }) =>
    names ? [not(names(tx, userId, events))] : [],
  )
  await tx
    .update(events)
    .set({ eventId: sql`${`erased:${tx.newId()}:`} || cast(${events.sequence} as text)`, digest: null })
    .where(and(eq(events.userId, userId), isForeign, isUnpaid, ...isUnnamed))
  const { source, eventId } = events
  for (const early of await tx.select({ source, eventId }).from(events).where(eq(events.voidedFor, userId)))
    await tx
      .update(events)
      .set({ eventId: `erased:${tx.newId()}` })
      .where(and(eq(source, early.source), eq(eventId, early.eventId)))
}

/** After events that a refund records, which can follow the erasure of the fan. The fan is locked. */
export async function deleteDataIfErased(tx: Transaction, userId: string): Promise<void> {
  const erased = await listErased(tx, [userId])
  if (erased.has(userId)) await deleteEventData(tx, userId)
}

/** How many events of a fan have data, with those folded into them, and the voids that came before their event. */
export async function countEventData(reader: Reader, userId: string): Promise<number> {
  const { events } = reader.tables
  const isTheirs = or(eq(events.userId, userId), eq(events.voidedFor, userId))
  const [counted] = await reader
    .select({ told: sql<number>`coalesce(sum(1 + coalesce(${events.entryCount}, 0)), 0)`.mapWith(Number) })
    .from(events)
    .where(and(isTheirs, isNotNull(events.data)))
  return counted?.told ?? 0
}
