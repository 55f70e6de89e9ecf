/** Voids events of the application when the fact that they describe is undone. */
import { and, desc, eq, inArray, isNull, like } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { listMergedRecords } from '../../identity/users/merges.ts'
import { dataOf } from './event.ts'
import { APPLICATION, type ApplicationEventType } from './types.ts'
import { voidEvent } from './void-event.ts'

interface Told {
  userId: string
  type: ApplicationEventType
  /** A member of its data that identifies the fact. */
  about: Record<string, string>
}

/**
 * Voids the latest event of this type with these members, also if it belongs to a record that was merged into
 * the fan. Does nothing if it was voided before, or if an erasure has deleted its data.
 */
export async function voidLatest(tx: Transaction, { userId, type, about }: Told): Promise<void> {
  const { events } = tx.tables
  const merged = (await listMergedRecords(tx, userId)).map(({ id }) => id)
  const member = JSON.stringify(about).slice(1, -1)
  const found = await tx
    .select({ eventId: events.eventId, data: events.data })
    .from(events)
    .where(
      and(
        inArray(events.userId, [userId, ...merged]),
        eq(events.source, APPLICATION),
        eq(events.type, type),
        isNull(events.voidedAt),
        like(events.data, `%${member}%`),
      ),
    )
    .orderBy(desc(events.recordedAt), desc(events.sequence))
  // `_` of an id matches other characters as well.
  const own = found.find(({ data }) => {
    const told = dataOf({ data })
    return Object.entries(about).every(([name, value]) => told[name] === value)
  })
  // never event_not_found, event_archived: the event was found, and is not of another system.
  if (own) await voidEvent(tx, { source: APPLICATION, eventId: own.eventId })
}
