/** Every entry of a ledger is an event of its fan, `points.changed`. */
import type { Transaction } from '../../../db/index.ts'
import { readVersion } from '../../club/catalogue/versions.ts'
import type { AppendedEntry } from '../points/appended-entries.ts'
import { draftOf, insertEvents } from './event-rows.ts'
import { listeningAt } from './listeners.ts'
import { AWAITING } from './outbox.ts'
import { APPLICATION, type DataOf } from './types.ts'

const TYPE = 'points.changed'

/**
 * Records entries in their order; the id of the event is that of the entry. Neither rules nor readers get the event: what
 * they would book for it would be an entry again.
 */
export async function recordEntries(tx: Transaction, entries: AppendedEntry[]): Promise<void> {
  if (entries.length === 0) return
  const version = await readVersion(tx)
  const { isSubscribed } = await listeningAt(tx, version)
  const position = isSubscribed(TYPE) ? AWAITING : null
  const revision = version?.revision ?? null
  const events = entries.map(eventOfEntry)
  await insertEvents(
    tx,
    events.map(event => draftOf(event, tx.now(), { revision, position })),
  )
  for (const event of events) tx.spine.events.recorded.announce(tx, event)
  if (position !== null) tx.spine.events.awaiting.announce(tx)
}

export function eventOfEntry(entry: AppendedEntry) {
  const { id, userId, delta, balanceAfter, lifetime, reason, ref, createdAt } = entry
  // Guarantee of the cast: only `PointsChange` and `takeBack` give entries their reason.
  const data = { delta, balance: balanceAfter, lifetime, reason, ref } as DataOf<typeof TYPE>
  return { source: APPLICATION, eventId: id, userId, type: TYPE, occurredAt: createdAt, data }
}
